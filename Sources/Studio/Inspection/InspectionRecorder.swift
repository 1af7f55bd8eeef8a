import Gestures
import MediaIO
import Pipeline
import Reactions

/// Writes a video as it was, with what was seen drawn over every picture.
///
/// Used by one thread at a time.
final class InspectionRecorder {
    private let writer: VideoWriter
    private let painter: InspectionPainter
    private let configuration: Configuration
    private let warn: (String) -> Void
    private var damage = CopyDamage()
    private var scene = InspectionScene()
    private var lastFired: (name: String, time: Double)?
    /// Seconds for which is shown that something fired.
    private static let firedInterval = 2.0

    /// Creates the output beside its place.
    ///
    /// - Parameters:
    ///   - interrupt: ends the wait for a named pipe's reader.
    ///   - warn: is told what cannot be kept.
    /// - Throws: `MediaError`, ``FlourishError``.
    init(
        output: String, demuxer: Demuxer, pool: FramePool, configuration: Configuration, interrupt: InterruptFlag,
        warn: @escaping (String) -> Void
    ) throws {
        self.warn = warn
        self.configuration = configuration
        painter = try InspectionPainter(pool: pool, resources: configuration.resources ?? .located())
        let muxer = try Muxer(path: output, overwrite: configuration.overwrite, copying: demuxer, interrupt: interrupt)
        let encoder = VideoEncoder(
            settings: VideoEncoderSettings(configuration.encoding), source: demuxer.video,
            container: muxer.container, path: output, pool: pool)
        writer = VideoWriter(encoder: encoder, muxer: muxer)
        for skipped in muxer.skippedStreams { warn(skipped.warning.message) }
    }

    /// Takes a packet of another stream.
    func copy(_ packet: consuming Packet) throws {
        let stream = packet.streamIndex
        try writer.muxer.write(packet)
        tell(damage.add(writer.muxer.takeDamage(), stream: stream))
    }

    /// Notes what a look found; it is shown until the next one.
    func note(_ analysis: HandAnalyser.Analysis, _ inspection: FrameInspection) {
        scene = InspectionScene(analysis, inspection, configuration: configuration)
        if let fired = analysis.findings.fired.last {
            lastFired = (configuration.reactionType(for: fired.gesture.name).rawValue, inspection.time)
        }
    }

    /// Draws on a frame and writes it.
    func write(_ item: consuming PipelineFrame) throws {
        let (time, index) = (item.time, item.plan.id)
        if let fired = lastFired, time - fired.time > Self.firedInterval { lastFired = nil }
        let caption = InspectionCaption(
            clock: "\(InspectionText.clock(time))   frame \(index)",
            fired: lastFired.map { "\($0.name) fired at \(InspectionText.clock($0.time))" })
        var frame = item.takeFrame()
        try painter.draw(scene, caption, on: &frame)
        try writer.write(frame)
        for adjustment in writer.encoder.takeAdjustments() { warn(adjustment.warning.message) }
    }

    /// Writes what is left and gives the file its name.
    ///
    /// - Parameter isPart: whether that is one that says that it is not the whole.
    /// - Returns: the name.
    func finish(asPart isPart: Bool) throws -> String {
        try writer.finish()
        try writer.muxer.flush()
        tell(damage.finish(writer.muxer.takeDamage()))
        try writer.muxer.complete()
        tell([writer.muxer.lossWarning].compactMap(\.self))
        return try writer.muxer.finish(asPart: isPart)
    }

    private func tell(_ warnings: [PipelineWarning]) {
        for warning in warnings { warn(warning.message) }
    }
}
