package import MediaIO
import Platform
package import Reactions

/// The task of a run, as its caller specifies it.
package struct PipelineRequest: Sendable {
    package let input: String
    /// The input's file, which is opened once for the whole run; `nil` if the input is no regular file.
    private let file: OpenFile?
    /// The video to write. If it is `nil`, events are emitted, and nothing is drawn or encoded.
    package var output: String?
    package var configuration: Configuration
    package var resources: Resources
    package var observer: SessionObserver
    /// The plan whose reactions replace the reactions of gestures and of the configuration.
    package var plan: ReactionPlan?
    /// The earliest start of a shown reaction of the plan, in seconds on the clock of the trim range. The default is
    /// slightly before the beginning, because times are rounded.
    package var earliestPlannedStart = -0.0005

    package init(
        input: String, output: String? = nil, configuration: Configuration, resources: Resources,
        observer: SessionObserver, plan: ReactionPlan? = nil
    ) {
        self.input = input
        file = MediaAddress(input).filePath.flatMap(OpenFile.init)
        self.output = output
        self.configuration = configuration
        self.resources = resources
        self.observer = observer
        self.plan = plan
    }

    /// Returns the settings with which the input is opened.
    ///
    /// - Parameter stalled: Called if a pipe or the network delivers no data for a while.
    func inputSettings(stalled: (@Sendable () -> Void)? = nil) -> InputSettings {
        var settings = InputSettings(configuration, address: input, stalled: stalled)
        settings.file = file
        return settings
    }

    /// Opens the input at its beginning, without decoding it.
    ///
    /// - Throws: The errors of opening a `Demuxer`.
    package func openInput(_ interrupt: InterruptFlag?) throws(MediaError) -> Demuxer {
        try Demuxer(path: input, settings: inputSettings(), interrupt: interrupt)
    }

    /// The tiles that the plan or the configuration states, on the clock of the trim range; `nil` if neither does.
    var knownLayouts: LayoutTimeline? {
        if let plan { return plan.layouts.shifted(toStart: configuration.input.start) }
        return if case .fixed(let layouts) = layout { layouts } else { nil }
    }

    /// The configuration's choice of tiles, on the clock of the trim range.
    var layout: LayoutChoice {
        guard case .fixed(let layouts) = configuration.layout else { return configuration.layout }
        return .fixed(layouts.shifted(toStart: configuration.input.start))
    }

    /// True if tiles must be detected because scheduled reactions have a place. They are drawn in the tile at their
    /// place.
    var findsTiles: Bool {
        plan == nil && layout == .automatic && configuration.scheduledReactions.contains { $0.origin != nil }
    }

    /// True if the output is a file. For other outputs, such as a pipe, a reader waits.
    package var writesFile: Bool {
        guard let file = output.flatMap({ MediaAddress($0).filePath }) else { return false }
        return !TemporaryFile.isSpecial(file)
    }

    /// The kind of the output; `nil` if only events are emitted.
    package var outputKind: OutputKind? { output.map { OutputKind(configuration, path: $0) } }
}

/// The kind of a run's output.
package enum OutputKind: Sendable, Hashable {
    /// The video with its effects.
    case video
    /// Only the effects, as a video with transparency.
    case overlay
    /// Only the effects, as a picture for each frame.
    case pictures

    /// - Parameter path: The output's path; for a sequence of pictures, a pattern.
    package init(_ configuration: Configuration, path: String = "") {
        self = !configuration.writesOverlay ? .video : PictureSequence.isPattern(path) ? .pictures : .overlay
    }
}

extension Configuration {
    /// Returns whether the output of a run that was stopped is only a part, and gets a name that says so. The output of a
    /// live input is whole, because such an input ends only when its user ends it.
    package func keepsPart(of input: String) -> Bool {
        if isLive || keepsPartialOutput { return false }
        return input == "-" ? DescriptorInput.isPlainFile(0) : RecordedFile.size(of: input) != nil
    }
}

// MARK: - Scheduled reactions

extension PipelineRequest {
    /// The reactions that are known before the video begins, on the clock of the trim range.
    var schedule: [ScheduledRequest] {
        if let plan { return requests(plan) }
        return configuration.scheduledReactions.map(scheduled).filter { $0.seconds >= 0 }
    }

    /// The scheduled reactions before the trim range.
    var scheduledTooEarly: [PipelineWarning] {
        configuration.scheduledReactions.map(scheduled).filter { $0.seconds < 0 }
            .map { $0.notShown("it is before the start of the trim range") }
    }

    /// The reactions of a plan from ``earliestPlannedStart`` on.
    private func requests(_ plan: ReactionPlan) -> [ScheduledRequest] {
        let start = configuration.input.start
        guard start > 0 else { return plan.requests() }
        return plan.requests().compactMap { request in
            var moved = request
            moved.seconds -= start
            return moved.seconds >= earliestPlannedStart ? moved : nil
        }
    }

    /// Converts a scheduled reaction into a request on the clock of the trim range. The reaction's time refers to the
    /// whole recording.
    private func scheduled(_ reaction: ScheduledReaction) -> ScheduledRequest {
        var request = ScheduledRequest(reaction)
        request.seconds -= configuration.input.start
        return request
    }
}
