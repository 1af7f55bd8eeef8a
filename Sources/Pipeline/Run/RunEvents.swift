import MediaIO
import Raster
import Reactions

/// The events of a whole run rather than of single frames. Both kinds of runs emit them.
extension EventEmitter {
    /// Emits the warnings that are known when the output is open. They follow the start of the stream.
    func emitWarnings(of pass: RunPass, _ catalog: EffectCatalog, _ demuxer: Demuxer, _ muxer: Muxer?) {
        for warning in pass.startupWarnings + (pass.plan?.changes(in: catalog) ?? []) { emit(warning) }
        if pass.reportsInputFaults { demuxer.choiceWarnings.forEach(emit) }
        if let warning = muxer?.chapterWarning { emit(warning) }
    }

    /// Begins the stream, before its first frame is written.
    ///
    /// - Parameter time: The time of the first frame, in seconds.
    func begin(
        _ pass: RunPass, _ demuxer: Demuxer, _ muxer: Muxer?, _ catalog: EffectCatalog, _ thinning: FrameThinning,
        at time: Double
    ) {
        let (video, configuration) = (demuxer.video, pass.configuration)
        let rate = video.averageFrameRate
        let reason = pass.fullEncodeReason.map { reason in
            let container = pass.output.flatMap { try? ContainerFormat.chosen(configuration, path: $0) }
            let losesQuality =
                video.isLossless && configuration.encoding.crf != 0 && container?.isUncompressed != true
            return reason.description + (losesQuality ? "; the source is lossless, the output is not" : "")
        }
        let description = ReactionEvent.StreamDescription(
            input: pass.input, width: Int(video.geometry.uprightWidth.rounded()),
            height: Int(video.geometry.uprightHeight.rounded()), frameRate: rate.value >= 0.001 ? rate.value : nil,
            availableReactionTypes: catalog.types, gesturesEnabled: configuration.gesturesEnabled,
            reactionsEnabled: configuration.reactionsEnabled, frameRateDuringEffects: thinning.rate,
            wholeReason: reason)
        add(ReactionEvent(time: time, frame: 0, kind: .streamStarted(description)))
        for skipped in muxer?.skippedStreams ?? [] { add(skipped.warning.event(time: time, frame: 0)) }
    }
}
