import MediaIO
import Platform
import Raster
import Synchronization

/// Stretches of a recording for somebody who waits to see them.
extension ReactionSession {
    /// Writes a stretch of a recording with the reactions of a plan that start in it: as it will look, but encoded
    /// quickly and small, as fragments of H.264 in MP4, each of which can be shown when it is there.
    ///
    /// - Parameters:
    ///   - plan: for this recording, which is not checked; nothing is shown if `nil`.
    ///   - start: seconds from the first picture.
    ///   - end: seconds from the first picture; the recording's if `nil`.
    ///   - output: a named pipe.
    /// - Throws: ``FlourishError``; ``FlourishError/Code/outputClosed`` where nobody reads it any more.
    package func preview(
        _ plan: ReactionPlan?, of input: String, from start: Double, to end: Double?, into output: String
    ) async throws(FlourishError) {
        var configuration = configuration
        configuration.isPreview = true
        configuration.gesturesEnabled = false
        configuration.scheduledReactions = []
        configuration.encoding = EncodingOptions()
        configuration.embedsMetadata = false
        configuration.outputFormat = "mp4"
        configuration.input.start = max(start, 0)
        configuration.input.end = end
        var plan = plan
        if let style = plan?.style { plan?.style = configuration.take(style) }
        control.state.withLock { [style = configuration.style] state in
            state.gesturesEnabled = false
            state.reactionsEnabled = true
            state.style = style
        }
        try begin()
        defer { self.end() }
        let request = PipelineRequest(
            input: input, output: output, configuration: configuration, resources: resources,
            observer: SessionObserver(), plan: plan)
        _ = try await sessionRun.perform(pass(request))
    }

    /// Loads and draws what stretches of a recording may need, where the configuration shares it with later sessions: see
    /// ``Configuration/sharingResources()``. What is missing is told of when it is needed.
    ///
    /// - Parameter input: a recording, of which the header alone is read.
    package func prepareStretches(of input: String) async {
        await StageThread.run { [resources, configuration] () throws(Never) in
            guard let catalog = try? EffectCatalog(resources: resources),
                let demuxer = try? Demuxer.open(input, configuration)
            else { return }
            // Models first: most effects need one.
            FaceFinder(resources: resources).prepare()
            let painter = FrameCompositor(catalog: catalog, seed: 0, resources: resources)
            painter.prepare(catalog.types, for: demuxer.video.geometry, Self.anyFormat, waits: true)
        }.get()
    }

    /// What is drawn ahead is the same for all formats.
    private static let anyFormat = PictureFormat(width: 16, height: 16)

    /// Makes sure that a plan is for a recording, of which all is read for that.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable`` where it is for another one; what reading throws.
    package func check(_ plan: ReactionPlan, isFor input: String) async throws(FlourishError) {
        _ = try await survey(of: input, for: plan)
    }

    /// Makes sure that there are all reactions that a plan shows.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable`` with the place of the first that there is not.
    package func checkTypes(of plan: ReactionPlan) throws(FlourishError) {
        let isKnown = plan.reactions.allSatisfy { !$0.isEnabled || availableReactionTypes.contains($0.reactionType) }
        if !isKnown { try plan.check(EffectCatalog(resources: resources)) }
    }

    /// How long each type's effect lasts unless told otherwise, in seconds.
    package func effectDurations() throws(FlourishError) -> [ReactionType: Double] {
        try EffectCatalog(resources: resources).presets.mapValues(\.duration)
    }
}

extension Configuration {
    /// The same for sessions that follow each other in one process: what one has loaded and drawn is there for the next.
    package func sharingResources() -> Configuration {
        var configuration = self
        var resources = resources ?? .located()
        resources.shared = SharedResources()
        configuration.resources = resources
        return configuration
    }
}
