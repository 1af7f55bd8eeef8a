import MediaIO
import Platform
import Raster
import Synchronization

/// Previews of parts of a recording, and checks of plans, for `flourish review`.
extension ReactionSession {
    /// Writes a part of a recording with the reactions that a plan shows in this part. The reactions appear as in the
    /// final output, but the part is encoded quickly and at a small size, as fragments of H.264 in MP4. Each fragment
    /// can be shown as soon as it is written.
    ///
    /// - Parameters:
    ///   - plan: A plan, assumed to be for this recording; no reactions are shown if `nil`.
    ///   - start: The start, in seconds from the first picture.
    ///   - end: The end, in seconds from the first picture; the end of the recording if `nil`.
    ///   - output: A named pipe.
    /// - Throws: ``FlourishError``. The code is ``FlourishError/Code/outputClosed`` if the pipe has no reader any more.
    package func preview(
        _ plan: ReactionPlan?, of input: String, from start: Double, to end: Double?, into output: String
    ) async throws(FlourishError) {
        var configuration = configuration
        configuration.opensWithPictures = true
        configuration.gesturesEnabled = false
        configuration.scheduledReactions = []
        configuration.encoding = .preview
        configuration.embedsMetadata = false
        configuration.writesChapters = false
        configuration.outputFormat = "mp4"
        configuration.input.start = max(start, 0)
        configuration.input.end = end
        configuration.input.entry = .quick
        var plan = plan
        if let style = plan?.style { plan?.style = configuration.adopt(style) }
        control.state.withLock { [style = configuration.style, video = configuration.videoEffects] state in
            state.settings.gesturesEnabled = false
            state.settings.reactionsEnabled = true
            (state.settings.style, state.settings.videoEffects) = (style, video)
        }
        try begin()
        defer { self.end() }
        // Reactions that begin before the part may still be in progress at its start.
        let part = RunPass(
            input: input, output: output, configuration: configuration, resources: resources,
            observer: SessionObserver(), plan: plan, earliestStart: -.infinity)
        _ = try await PipelineRun.start(pass(part), control: control)
    }

    /// Loads and draws the resources that previews of a recording may need, if the configuration shares them with later
    /// sessions. See ``Configuration/sharingResources()``. Missing resources are reported when they are needed.
    ///
    /// - Parameter input: A recording. Only its header is read.
    package func preparePreviews(of input: String) async {
        await StageThread.run { [resources, configuration] () throws(Never) in
            guard let catalog = try? EffectCatalog(resources: resources),
                let demuxer = try? Demuxer.open(input, configuration)
            else { return }
            // The model of faces is loaded first, because effects that avoid faces need it.
            FaceFinder(resources: resources).prepare()
            let painter = FrameCompositor(catalog: catalog, seed: 0, resources: resources)
            painter.prepare(catalog.types, for: demuxer.video.geometry, Self.anyFormat, waits: true)
        }.get()
    }

    /// A format for drawing in advance. The result is the same for all formats.
    private static let anyFormat = PictureFormat(width: 16, height: 16)

    /// Reads a whole recording to verify that a plan belongs to it.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable`` if the plan belongs to another recording, and the errors of
    ///   reading.
    package func check(_ plan: ReactionPlan, isFor input: String) async throws(FlourishError) {
        let pass = RunPass(
            input: input, configuration: configuration, resources: resources, observer: SessionObserver())
        _ = try await indexRecording(of: pass, for: plan)
    }

    /// Verifies that all reactions that a plan shows are available.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable`` with the place of the first reaction that is not available.
    package func checkTypes(of plan: ReactionPlan) throws(FlourishError) {
        let isKnown = plan.reactions.allSatisfy { !$0.isEnabled || availableReactionTypes.contains($0.reactionType) }
        if !isKnown { try plan.check(EffectCatalog(resources: resources, naming: plan.shownTypes)) }
    }

    /// Returns the default duration of each type's effect, in seconds.
    package func effectDurations() throws(FlourishError) -> [ReactionType: Double] {
        try EffectCatalog(resources: resources).presets.mapValues(\.duration)
    }
}

extension Configuration {
    /// Returns a copy of the configuration for successive sessions in one process. Each session reuses the resources
    /// that earlier sessions loaded and drew.
    package func sharingResources() -> Configuration {
        var configuration = self
        var resources = resources ?? .located()
        resources.shared = SharedResources()
        configuration.resources = resources
        return configuration
    }
}
