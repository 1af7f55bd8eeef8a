package import MediaIO
package import Pipeline
import Reactions

/// A video or an image that `flourish inspect` analyses frame by frame. Reports the results, or draws them over a copy.
///
/// Used by one thread at a time.
package final class InspectionFilm {
    private let demuxer: Demuxer
    private let reader: InputReader
    private let layout: LayoutChoice
    private let interrupt: InterruptFlag
    private let pool = FramePool()

    /// Opens a video or an image.
    /// - Parameter layout: The tiles, each of which is analysed by itself.
    /// - Throws: `MediaError`.
    package init(_ input: String, settings: InputSettings, layout: LayoutChoice, interrupt: InterruptFlag) throws {
        let source = try FrameSource(input, settings, threads: 2, interrupt: interrupt, pool: pool)
        demuxer = source.demuxer
        reader = InputReader(source, copiesOtherStreams: true, interrupt: interrupt)
        self.layout = layout
        self.interrupt = interrupt
    }

    /// Analyses every frame that a session would analyse, or the single picture of an image.
    ///
    /// - Parameter warn: Called for defects that do not prevent reading.
    /// - Throws: `MediaError`, `InferenceError`, ``FlourishError``.
    package func inspect(
        with analyser: HandAnalyser, warn: (String) -> Void, _ handler: (FrameInspection) -> Void
    ) throws {
        var analysis = InspectionAnalysis(analyser, layout: layout)
        if demuxer.isStillImage {
            let item = try stillFrame(warn)
            for result in try analysis.results(forStill: item.frame) {
                handler(FrameInspection(result.analysis, in: result.tile, time: 0, isStill: true))
            }
            return
        }
        var frames = 0
        while let item = try reader.nextFrame(copy: { _ in true }) {
            frames += 1
            for warning in item.warnings { warn(warning.message) }
            for result in try analysis.results(for: item.frame, at: item.time) {
                handler(FrameInspection(result.analysis, in: result.tile, time: item.time, isStill: false))
            }
        }
        try check(frames)
        report(reader.outcome, warn)
    }

    /// Analyses the input, and writes every frame with the results drawn over it.
    /// - Returns: The file's name, which states whether the file is only a part of the video.
    /// - Throws: `MediaError`, `InferenceError`, ``FlourishError``; of the code `interrupted` if it was stopped before
    ///   there was anything to write.
    package func draw(
        to output: String, with analyser: HandAnalyser, configuration: Configuration,
        warn: @escaping (String) -> Void, progress: (SessionProgress) -> Void,
        handler: (FrameInspection) -> Void
    ) throws -> String {
        for stale in StaleTemporaryFiles.remove(besides: output) { warn(stale.message) }
        if demuxer.isStillImage {
            for inspection in try drawStill(to: output, with: analyser, configuration: configuration, warn: warn) {
                handler(inspection)
            }
            return output
        }
        let recorder = try InspectionRecorder(
            output: output, demuxer: demuxer, pool: pool, configuration: configuration, interrupt: interrupt,
            warn: warn)
        var analysis = InspectionAnalysis(analyser, layout: layout)
        var frames = 0
        var failure: (any Error)?
        func copy(_ packet: consuming Packet) -> Bool {
            do { try recorder.copy(packet) } catch { failure = error }
            return failure == nil
        }
        while let item = try reader.nextFrame(copy: copy) {
            frames += 1
            let time = item.time
            for warning in item.warnings { warn(warning.message) }
            for result in try analysis.results(for: item.frame, at: time) {
                let inspection = FrameInspection(result.analysis, in: result.tile, time: time, isStill: false)
                recorder.record(result.analysis, inspection)
                handler(inspection)
            }
            recorder.keep(analysis.parts)
            try recorder.write(item)
            progress(
                SessionProgress(
                    frames: frames, seconds: time - (demuxer.video.startTime?.seconds ?? 0),
                    duration: demuxer.video.duration?.seconds, effects: 0))
        }
        if let failure { throw failure }
        try check(frames)
        guard frames > 0 else {
            throw FlourishError(
                .interrupted, "\(demuxer.path): stopped before the first frame; nothing was written")
        }
        let outcome = reader.outcome
        report(outcome, warn)
        return try recorder.finish(
            asPart: outcome.wasInterrupted && configuration.keepsPart(of: demuxer.path))
    }

    private func drawStill(
        to output: String, with analyser: HandAnalyser, configuration: Configuration, warn: (String) -> Void
    ) throws -> [FrameInspection] {
        guard output.lowercased().hasSuffix(".png") else {
            throw FlourishError(
                .usage, "\(output): the detections of an image are drawn to a PNG image; use the extension .png")
        }
        let item = try stillFrame(warn)
        var analysis = InspectionAnalysis(analyser, layout: layout)
        var inspections: [FrameInspection] = []
        let scenes = try analysis.results(forStill: item.frame).map { result in
            let inspection = FrameInspection(result.analysis, in: result.tile, time: 0, isStill: true)
            inspections.append(inspection)
            var scene = InspectionScene(result.analysis, inspection, configuration: configuration)
            scene.phase = .none
            return scene
        }
        let name = demuxer.path.split(separator: "/").last.map(String.init) ?? demuxer.path
        var frame = item.takeFrame()
        let painter = try InspectionPainter(pool: pool, resources: configuration.resources ?? .located())
        try painter.draw(scenes, InspectionCaption(clock: name), on: &frame)
        try frame.image().writePNG(to: output, overwrite: configuration.overwrite)
        return inspections
    }

    private func stillFrame(_ warn: (String) -> Void) throws -> PipelineFrame {
        guard let item = try reader.nextFrame(copy: { _ in true }) else {
            throw FlourishError(
                .inputUnusable,
                "\(demuxer.path): the image cannot be decoded; it is damaged, or in a format that FFmpeg does not support"
            )
        }
        for warning in item.warnings { warn(warning.message) }
        return item
    }

    /// Warns of defects found at the end, except for an interruption.
    private func report(_ outcome: ReadOutcome, _ warn: (String) -> Void) {
        for warning in outcome.warnings where warning.code != .interrupted { warn(warning.message) }
    }

    private func check(_ frames: Int) throws {
        guard frames > 0 || interrupt.isRaised else { throw FlourishError.noPicture(in: demuxer) }
    }
}
