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
        if let plan {
            configuration.style = plan.style.look
            configuration.seed = plan.style.seed
        }
        control.state.withLock { state in
            state.gesturesEnabled = false
            state.reactionsEnabled = true
            if let plan { state.style = plan.style.look }
        }
        _ = try await run(
            PipelineRequest(
                input: input, output: output, configuration: configuration, resources: resources,
                observer: SessionObserver(), plan: plan))
    }

    /// Makes sure that a plan is for a recording, of which all is read for that.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable`` where it is for another one; what reading throws.
    package func check(_ plan: ReactionPlan, isFor input: String) async throws(FlourishError) {
        _ = try await survey(of: input, for: plan)
    }

    /// How long each type's effect lasts unless told otherwise, in seconds.
    package func effectDurations() throws(FlourishError) -> [ReactionType: Double] {
        try EffectCatalog(resources: resources).presets.mapValues(\.duration)
    }
}
