import Foundation

/// The share of gestures held under a condition that fire.
struct ConditionScore: Encodable, Sendable {
    let condition: Condition
    let gesture: Gesture
    var shown = 0
    var fired = 0
    /// Parts in which another gesture fired.
    var wrong = 0

    var recall: SampleShare { SampleShare(fired, of: shown) }
}

/// Runs detection on clips of gesture photos in difficult light, small or blurred.
struct ConditionInspection: Sendable {
    let footage: Footage
    let labels: Labels
    let programs: Programs
    let scratch: URL
    let jobs: Int

    /// Photos of each gesture under each condition: they take seconds each.
    private static let photosOfGesture = 36
    /// Horns of one hand are no gesture.
    private static let gestures: [Gesture] = [.thumbsUp, .thumbsDown, .victory, .heart]

    func scores() throws -> [ConditionScore] {
        let held = HeldPictures(footage: footage, labels: labels)
        let clips = Condition.allCases.flatMap { condition -> [HeldPictures.Clip] in
            let photos = Self.gestures.flatMap { chosen($0, for: condition) }
            return programs.batches(of: photos, size: max(1, photos.count)).flatMap {
                held.clips(of: $0, under: condition, beginsWithRoom: true)
            }
        }
        let seen = try inParallel(clips, jobs: jobs) { try watch($0, held) }
        return Condition.allCases.flatMap { condition in
            Self.gestures.map { gesture in
                zip(clips, seen).filter { $0.0.condition == condition }.reduce(
                    into: ConditionScore(condition: condition, gesture: gesture)
                ) { score, clip in
                    for (part, fired) in zip(clip.0.parts, clip.1) where labels.image(part.path)?.gesture == gesture {
                        score.shown += 1
                        if fired.contains(gesture) { score.fired += 1 }
                        if fired.contains(where: { $0 != gesture }) { score.wrong += 1 }
                    }
                }
            }
        }
    }

    /// Returns photos that are evenly spread over the available ones. In full frames the size of the hand is unknown.
    private func chosen(_ gesture: Gesture, for condition: Condition) -> [String] {
        let photos = footage.images.filter {
            labels.image($0)?.gesture == gesture
                && (labels.isTightCrop($0) || gesture == .heart || condition == .plain)
        }
        let step = max(1, photos.count / Self.photosOfGesture)
        return photos.indices.filter { $0 % step == 0 }.prefix(Self.photosOfGesture).map { photos[$0] }
    }

    /// Returns the gesture that fired in each part.
    private func watch(_ clip: HeldPictures.Clip, _ held: HeldPictures) throws -> [Set<Gesture>] {
        let file = scratch.appending(path: UUID().uuidString + ".mp4")
        defer { try? FileManager.default.removeItem(at: file) }
        try held.write(clip, to: file, scratch: scratch)
        let triggers = try programs[clip.parts[0].path].triggers(
            in: file.path, hold: Report.defaultHold, ["--cooldown", "0"]
        ).triggers
        return clip.parts.map { part in
            Set(
                triggers.filter { (part.start...part.end + 0.3).contains($0.time) }
                    .compactMap { Gesture(ofFrame: $0.gesture) })
        }
    }
}

extension Report {
    /// A line for each condition.
    var conditionTable: String {
        let gestures = conditions.map(\.gesture).reduce(into: [Gesture]()) { if !$0.contains($1) { $0.append($1) } }
        let rows = Condition.allCases.compactMap { condition -> [String]? in
            let scores = conditions.filter { $0.condition == condition }
            // Hearts have few photos, and a column of their own.
            let ofOneHand = scores.filter { $0.gesture.hands == 1 }
            let recall = SampleShare(
                ofOneHand.reduce(0) { $0 + $1.fired }, of: ofOneHand.reduce(0) { $0 + $1.shown })
            guard recall.whole > 0 else { return nil }
            return [condition.rawValue]
                + gestures.map { gesture in
                    scores.first { $0.gesture == gesture }.map { "\($0.fired) of \($0.shown)" } ?? "–"
                } + [recall.text, "\(scores.reduce(0) { $0 + $1.wrong })"]
        }
        return textTable(
            "Photos held for \(HeldPictures.heldTime) s that fire, by condition",
            ["condition"] + gestures.map(\.rawValue) + ["recall of one hand (95 %)", "fire something else"], rows)
    }
}
