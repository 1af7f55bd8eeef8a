import MediaIO
import Platform
package import Reactions

/// The task of a run, as its caller states it.
package struct PipelineRequest: Sendable {
    package var input: String
    /// The video to write; `nil` to emit events only: then nothing is drawn or encoded.
    package var output: String?
    package var configuration: Configuration
    package var resources: Resources
    package var observer: SessionObserver
    /// The plan whose reactions are shown instead of those of gestures and the configuration.
    package var plan: ReactionPlan?

    package init(
        input: String, output: String? = nil, configuration: Configuration, resources: Resources,
        observer: SessionObserver, plan: ReactionPlan? = nil
    ) {
        self.input = input
        self.output = output
        self.configuration = configuration
        self.resources = resources
        self.observer = observer
        self.plan = plan
    }

    /// A Boolean value that indicates whether an output that ends before its input does is a part, and must not be
    /// taken for the whole. A live input has no other end than its user's.
    package var marksPart: Bool { Self.marksPart(of: input, configuration) }

    /// The same for outputs that are made without a run.
    package static func marksPart(of input: String, _ configuration: Configuration) -> Bool {
        guard !configuration.keepsPartialOutput, !configuration.isLive else { return false }
        return input == "-" ? DescriptorInput.isPlainFile(0) : RecordedFile.size(of: input) != nil
    }

    /// A Boolean value that indicates whether the output is a file, for which no reader waits.
    package var writesFile: Bool {
        guard let file = output.flatMap({ MediaAddress($0).filePath }) else { return false }
        return !TemporaryFile.isSpecial(file)
    }

    /// A Boolean value that indicates whether the output is a video, and not pictures or events.
    var encodesVideo: Bool { output.map { !configuration.writesOverlay || !PictureSequence.isPattern($0) } ?? false }
}

// MARK: - Scheduled reactions

extension PipelineRequest {
    /// The reactions that are known before the video begins, on the clock of the part that is read.
    var schedule: [ScheduledRequest] {
        if let plan { return requests(plan) }
        return configuration.scheduledReactions.map(scheduled).filter { $0.seconds >= 0 }
    }

    /// The scheduled reactions that lie before the part of the recording that is read.
    var scheduledTooEarly: [PipelineWarning] {
        configuration.scheduledReactions.map(scheduled).filter { $0.seconds < 0 }
            .map { $0.notShown("what is read begins later") }
    }

    /// The reactions of a plan in the part that is read; in a preview also those before it that may still be in
    /// progress.
    private func requests(_ plan: ReactionPlan) -> [ScheduledRequest] {
        let start = configuration.input.start
        guard start > 0 else { return plan.requests() }
        return plan.requests().compactMap { request in
            var moved = request
            moved.seconds -= start
            return moved.seconds >= -0.0005 || configuration.isPreview ? moved : nil
        }
    }

    /// Converts a scheduled reaction into a request. Times are those of the recording, even where only a part of it is
    /// read.
    private func scheduled(_ reaction: ScheduledReaction) -> ScheduledRequest {
        var request = ScheduledRequest(reaction)
        request.seconds -= configuration.input.start
        return request
    }
}
