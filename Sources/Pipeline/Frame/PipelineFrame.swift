package import Effects
package import MediaIO
import RateControl
package import Reactions
package import Vision

/// A frame in the pipeline, with the results of the stages. Each stage passes it on to the next stage's thread.
package struct PipelineFrame: ~Copyable, Sendable {
    package var frame: VideoFrame
    /// The frame's time stamp in seconds.
    package let time: Double
    /// The time at which the next picture is shown, or the video ends, in seconds; `nil` if it is not known yet.
    package var shownUntil: Double?
    /// The time at which the frame was decoded.
    package let arrival = ContinuousClock.now
    /// The time at which the previous stage finished the frame.
    package var passedAt = ContinuousClock.now
    /// The warnings that occurred before the frame.
    package var warnings: [PipelineWarning]
    /// The gestures whose hold this frame completed, and the gestures whose hold it ended.
    package var findings = GestureFindings()
    /// The gesture that is held at this frame, according to the analysis so far.
    package var coming: ComingGesture?
    /// The hands that were seen in the last analysis.
    package var hands: [SeenHand] = []
    /// The effects and events of the frame, once it is planned.
    package var plan: FramePlan
    /// True if a frame of an overlay shows no effect.
    package var isEmpty = false

    /// - Parameter id: The number of frames before it.
    package init(frame: consuming VideoFrame, id: Int, time: Double, warnings: [PipelineWarning] = []) {
        self.frame = frame
        self.time = time
        self.warnings = warnings
        plan = FramePlan(time: time, id: id)
    }
}

extension PipelineFrame {
    /// The number of frames that wait between two stages. One frame is sufficient to keep all stages busy, since the
    /// decoder and the encoder have separate queues. More frames would only take memory.
    package static let channelCapacity = 1

    /// Records an event at this frame.
    package mutating func emit(_ kind: ReactionEvent.Kind) { plan.emit(kind) }

    /// Records the warnings at this frame.
    package mutating func emit(_ warning: PipelineWarning) { plan.emit(warning) }

    /// Removes the events of the frame and returns them.
    ///
    /// Call it before ``takeFrame()``, and do not read `plan.events` into a variable instead: Swift 6.3.1 does not retain
    /// an array that is read from a value which is then consumed in another module, and frees it too early.
    package mutating func takeEvents() -> [ReactionEvent] {
        let events = plan.events
        plan.events = []
        return events
    }

    /// Returns the video frame for the encoder, and discards the results of the stages.
    package consuming func takeFrame() -> VideoFrame { frame }
}

/// A warning that is not yet tied to a frame.
package struct PipelineWarning: Sendable {
    package var code: ReactionEvent.WarningCode
    package var message: String

    /// Returns the warning as an event, tied to a frame by its id.
    package func event(time: Double, frame: Int) -> ReactionEvent {
        ReactionEvent(time: time, frame: frame, kind: .warning(code: code, message: message))
    }
}

/// The results of gesture analysis: the gestures that fired, and the gestures that almost fired.
package struct GestureFindings: Sendable {
    /// Gestures whose hold was completed.
    package var fired: [GestureEvent] = []
    /// Holds that ended without firing; empty if they are not requested (``Configuration/reportsCandidates``).
    package var unfired: [NearMiss] = []
    /// The tiles from this frame on; `nil` if they have not changed.
    package var layout: [LayoutTile]?

    package var isEmpty: Bool { fired.isEmpty && unfired.isEmpty && layout == nil }

    package static func + (earlier: Self, later: Self) -> Self {
        GestureFindings(
            fired: earlier.fired + later.fired, unfired: earlier.unfired + later.unfired,
            layout: later.layout ?? earlier.layout)
    }
}

/// A hand that an analysis has seen.
package struct SeenHand: Sendable, Hashable {
    /// The hand in the picture of its tile, or in the whole picture.
    package var outline: HandOutline
    /// The time stamp of the analysed frame, in seconds.
    package var time: Double
    /// The number of the tile of the hand's person; `nil` if the picture is not a gallery.
    package var tile: Int?
}

/// A gesture that is being held, and the time at which its hold will complete.
package struct ComingGesture: Sendable, Hashable {
    package var gesture: ReactionGesture
    /// The time at which the hold will be complete, in seconds.
    package var time: Double
    /// The number of the tile of the person who makes the gesture; `nil` if the picture is not a gallery.
    package var tile: Int?
    /// The length of the whole hold, in seconds; 0 if it is complete but for a second hand.
    package var duration = 0.0
    /// The hands that hold the gesture, in the whole picture.
    package var hands: [HandSpot] = []

    package init(gesture: ReactionGesture, time: Double) {
        self.gesture = gesture
        self.time = time
    }

    /// - Parameters:
    ///   - time: The presentation time of the picture to which the status belongs, in seconds.
    ///   - nextCompletion: The time of the next analysis that may complete a hold.
    ///   - hands: The hands that hold the gesture, in the whole picture.
    /// - Returns: `nil` while nothing is held.
    package init?(_ status: GestureStatus, at time: Double, nextCompletion: Double?, hands: [HandSpot] = []) {
        guard let gesture = status.gesture?.name else { return nil }
        switch status {
        case .holding(_, let elapsed, let hold), .moving(_, let elapsed, let hold, _):
            self.init(gesture: gesture, time: time + max(hold - elapsed, 0))
            duration = hold
        case .waitingForSecondHand: self.init(gesture: gesture, time: nextCompletion ?? time)
        case .idle, .unsure, .lingering, .waitingForSilence, .coolingDown, .disabled, .fired, .waitingForRelease:
            return nil
        }
        self.hands = hands
    }

    /// Returns the rings at a time: one beside each hand.
    package func rings(at time: Double) -> [HoldRing] {
        let progress = duration > 0 ? 1 - (self.time - time) / duration : 1
        return hands.map { HoldRing(beside: $0.centre, palm: $0.palmLength, progress: progress) }
    }
}

/// A warning that applies to the whole run, and is emitted once.
package struct WarnOnce {
    private var warning: PipelineWarning?
    private var isReported = false

    /// Records a warning, if there is one and none was recorded before. Later warnings have the same content.
    package mutating func note(_ warning: PipelineWarning?) {
        guard !isReported, let warning else { return }
        self.warning = warning
        isReported = true
    }

    /// Returns a warning that was recorded since the last call, and removes it.
    package mutating func take() -> PipelineWarning? {
        defer { warning = nil }
        return warning
    }
}

/// The input of the muxer.
package enum OutputItem: ~Copyable, Sendable {
    /// The parameters of the encoded video. They precede the first packet of the video; packets of other streams may be
    /// earlier.
    case header(VideoHeader)
    /// A packet of any stream.
    case packet(Packet)
}

/// A frame that several readers may share.
package final class SharedPicture: Sendable {
    package let frame: VideoFrame

    package init(_ frame: consuming VideoFrame) { self.frame = frame }
}
