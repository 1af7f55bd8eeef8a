import Gestures
package import MediaIO
import Platform
package import Reactions
import Synchronization

/// Looks at frames for gestures, on a schedule of their time stamps.
///
/// Input and output: the same frames, some with the gestures that they completed.
///
/// Used by one thread at a time.
package final class FrameAnalyser {
    private var looks: ScheduledLooks
    private let control: SessionControl
    private var isSwitchedOff = false
    /// What is looked at; `nil` for everything.
    private let stretches: CloseStretches?
    /// The number of the one that was looked at last.
    private var stretch: Int?
    /// The gesture that was being held when somebody looked last.
    private var coming: ComingGesture?

    /// Loads the models.
    /// - Parameter stretches: what is worth a look, and has been decoded; `nil` for everything.
    /// - Throws: ``FlourishError/Code/unavailable`` where a model or the library is missing.
    package init(
        resources: Resources, configuration: Configuration, control: SessionControl, stretches: CloseStretches? = nil
    ) throws(FlourishError) {
        looks = ScheduledLooks(
            try HandAnalyser(
                resources: resources, configuration: configuration, isGestureLikely: stretches != nil,
                threads: stretches == nil ? 1 : Self.threads(resources)),
            purpose: stretches == nil ? .watching : .closeLook)
        self.control = control
        self.stretches = stretches
    }

    /// How many threads compute each model in close looks: beside them goes on hardly more than decoding, unless runs share
    /// the cores. No more than four: a look of a few milliseconds has little to share out.
    private static func threads(_ resources: Resources) -> Int {
        resources.shared == nil ? min(Machine.cores, 4) : 1
    }

    /// Whether the frame at a time would be looked at.
    package func isDue(at time: Double) -> Bool {
        control.switches.gesturesEnabled ? looks.isDue(at: time) : !isSwitchedOff
    }

    /// Looks at one frame, if its turn has come.
    /// - Throws: `InferenceError`.
    package func process(_ item: inout PipelineFrame) throws {
        guard isWorthLooking(at: item) else { return }
        item.findings = try findings(in: item.frame, at: item.time)
        item.coming = coming
    }

    /// Whether a frame lies in one of the stretches; at the beginning of one, looking begins anew.
    private func isWorthLooking(at item: borrowing PipelineFrame) -> Bool {
        guard let stretches else { return true }
        guard let number = stretches.index(at: item.time), item.frame.hasPicture else {
            coming = nil
            return false
        }
        if number != stretch {
            stretch = number
            looks.resume()
        }
        if looks.isDue(at: item.time) { looks.analyser.expectHands(at: stretches.places(at: item.time)) }
        return true
    }

    /// Looks at a picture, if its turn has come.
    ///
    /// - Parameter stretch: by how much looks are further apart than usual.
    /// - Returns: the gestures that it completed, and the holds that it ended.
    /// - Throws: `InferenceError`.
    package func findings(in frame: borrowing VideoFrame, at time: Double, stretch: Double = 1) throws
        -> GestureFindings
    {
        looks.stretch = stretch
        guard follow(), let analysis = try looks.look(at: frame, time: time) else { return GestureFindings() }
        let hold = GestureHold(analysis.status)
        coming = ComingGesture(analysis.status, at: time, nextCompletion: analysis.nextCompletion)
        control.state.withLock { [coming] in
            $0.hold = hold
            $0.coming = coming
        }
        return analysis.findings
    }

    /// Follows the session's switches; says whether gestures are looked for at all.
    private func follow() -> Bool {
        let (isOn, disabled) = control.state.withLock { ($0.looksForGestures, $0.disabledGestures) }
        if isOn {
            isSwitchedOff = false
            looks.analyser.disabledGestures = disabled
        } else if !isSwitchedOff {
            isSwitchedOff = true
            looks.reset()
            coming = nil
            control.state.withLock { $0.forgetHold() }
        }
        return isOn
    }
}
