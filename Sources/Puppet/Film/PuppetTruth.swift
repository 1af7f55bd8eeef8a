import Reactions

/// The ground truth of a synthetic call: the expected detections and reactions.
///
/// The JSON form is written beside the film. Times are seconds of the film; places are normalised coordinates of the
/// upright picture (0…1, y down).
package struct PuppetTruth: Sendable, Hashable, Codable {
    /// One hand, at the middle of the time for which a cue is held.
    package struct Hand: Sendable, Hashable, Codable {
        /// The person's own `left` or `right`.
        package var hand: String
        package var time: Double
        /// The 21 joints in MediaPipe's order, each [x, y, z]; z is the depth relative to the wrist in
        /// units of the picture's width, negative toward the camera.
        package var joints: [[Double]]
    }

    package struct Cue: Sendable, Hashable, Codable {
        package var pose: PuppetPose
        package var hands: PuppetCue.Hands
        /// The time at which the hand begins to move.
        package var starts: Double
        /// The time at which the pose is reached; it is then held.
        package var reached: Double
        /// The time at which the pose ends.
        package var left: Double
        /// The time at which the hand has disappeared or has reached the next pose.
        package var gone: Double
        /// The time at which the right hand of a pair leaves early; nil if both leave together.
        package var rightLeft: Double?
        /// The gesture that is held, named as in `inspect --json`; nil for a near miss.
        package var gesture: String?
        /// The expected reaction; nil for none.
        package var reactionType: String?
        package var handsSeen: [Hand]
    }

    package var schema = 1
    package var width: Int
    package var height: Int
    package var rate: Double
    package var duration: Double
    package var frameCount: Int
    /// The cues by time.
    package var cues: [Cue]
}

extension PuppetDirector {
    /// The ground truth of this call.
    package var truth: PuppetTruth {
        let cues = script.cues.sorted { $0.time < $1.time }.map { cue in
            let middle = cue.time + min(cue.hold, cue.rightHold ?? cue.hold) / 2
            return PuppetTruth.Cue(
                pose: cue.pose, hands: cue.hands, starts: cue.time - cue.riseTime, reached: cue.time,
                left: cue.time + cue.hold, gone: cue.time + cue.hold + cue.fallTime,
                rightLeft: cue.rightHold.map { cue.time + $0 }, gesture: cue.gesture,
                reactionType: cue.reactionType,
                handsSeen: handsSeen(at: middle).filter { cue.hands == .both || cue.hands.rawValue == $0.hand })
        }
        return PuppetTruth(
            width: script.width, height: script.height, rate: script.rate,
            duration: script.duration, frameCount: script.frameCount, cues: cues)
    }

    /// Returns the true joints of every hand that is at least partly in the picture at a time.
    package func handsSeen(at time: Double) -> [PuppetTruth.Hand] {
        hands(at: time).map { state in
            let joints = state.joints
            let width = Float(script.width)
            let height = Float(script.height)
            return PuppetTruth.Hand(
                hand: state.isRight ? "right" : "left", time: time,
                joints: joints.map { joint in
                    [joint.x / width, joint.y / height, (joints[0].z - joint.z) / width].map(Self.rounded)
                })
        }
        .filter { hand in
            hand.joints.contains { (0...1).contains($0[0]) && (0...1).contains($0[1]) }
        }
    }

    /// Rounds to five decimals, which is a tenth of a pixel of the largest pictures and keeps the JSON readable.
    private static func rounded(_ value: Float) -> Double { (Double(value) * 100_000).rounded() / 100_000 }
}

extension PuppetCue {
    /// The minimum duration in seconds of an intended gesture.
    static let shortestGesture = 1.2

    /// The gesture that this cue shows; nil for a near miss.
    package var gesture: String? { pose.gesture(hands: effectiveHands) }

    /// The reaction that the cue is expected to trigger; nil for none.
    package var reactionType: String? {
        if let expect { return expect == "none" ? nil : expect }
        guard hold >= Self.shortestGesture else { return nil }
        return gesture.flatMap(ReactionGesture.init(rawValue:))?.reactionType.rawValue
    }

    /// The number of hands that show the pose for long enough to count as an intended gesture.
    private var effectiveHands: Int {
        guard hands == .both else { return 1 }
        guard let rightHold, rightHold < Self.shortestGesture else { return 2 }
        return 1
    }
}

extension PuppetPose {
    /// True if this pose of one hand or of both hands is a gesture.
    package var isGesture: Bool { gesture(hands: 1) != nil || gesture(hands: 2) != nil }

    /// Returns the name of the gesture that one or two hands with this pose make; nil if they make none.
    package func gesture(hands: Int) -> String? {
        ReactionGesture.Declaration.all.first { declaration in
            declaration.handCount == hands
                && (declaration.sign?.rawValue ?? declaration.gesture.rawValue) == sign
        }?.gesture.rawValue
    }
}

/// The ground truth of a gallery: its layouts, and the poses of each caller.
///
/// The JSON form is written beside the film. Times are seconds of the film; tiles are in pixels, joints in fractions of
/// the whole picture.
package struct PuppetGalleryTruth: Sendable, Hashable, Codable {
    package enum TileKind: String, Sendable, Hashable, Codable { case person, avatar }

    package struct Tile: Sendable, Hashable, Codable {
        /// The caller's number, from 1 in the order of the script; the same in all layouts.
        package var id: Int
        package var name: String
        package var x: Int
        package var y: Int
        package var width: Int
        package var height: Int
        package var kind: TileKind
        /// The box of the name; absent if none is shown.
        package var label: PuppetTile?
    }

    package struct Layout: Sendable, Hashable, Codable {
        package var from: Double
        package var until: Double
        package var tiles: [Tile]
    }

    package struct Caller: Sendable, Hashable, Codable {
        package var id: Int
        package var name: String
        /// The poses that are shown, by time.
        package var cues: [PuppetTruth.Cue]
    }

    package var schema = 1
    package var width: Int
    package var height: Int
    package var rate: Double
    package var duration: Double
    package var frameCount: Int
    package var layouts: [Layout]
    package var callers: [Caller]
}
