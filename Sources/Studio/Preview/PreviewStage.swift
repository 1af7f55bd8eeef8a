import Effects
import MediaIO
import Pipeline
import Raster
import Reactions

/// Draws the frames of a preview.
///
/// Used by one thread at a time.
final class PreviewStage {
    let preview: EffectPreview
    let catalog: EffectCatalog
    let painter: EffectPainter
    let effect: PlannedEffect
    let pool = FramePool()
    /// What lies behind the effect; shared with every frame and copied when drawn on.
    let backdrop: VideoFrame
    /// Seconds from the first frame to the end.
    let duration: Double

    /// - Throws: `MediaError` for the background, ``FlourishError`` for the type.
    init(_ preview: EffectPreview) throws {
        let resources = preview.resources ?? .located()
        catalog = try EffectCatalog(
            resources: resources, style: preview.style, adding: preview.descriptionFile)
        let type = catalog.added ?? preview.reactionType
        guard let preset = catalog.presets[type] else {
            throw EffectCatalog.unknown(type, among: catalog.types)
        }
        self.preview = preview
        painter = EffectPainter(catalog: catalog, seed: preview.seed, resources: resources)
        duration = preset.duration + 2 * EffectPreview.margin
        effect = PlannedEffect(
            id: 1, reactionType: type, startTime: EffectPreview.margin,
            endTime: EffectPreview.margin + preset.duration, origin: preview.origin ?? preset.origin,
            trigger: .request, gesture: nil)
        backdrop =
            try preview.background.map { try PreviewBackdrop.picture(of: $0) }
            ?? PreviewBackdrop.plain(width: preview.width, height: preview.height, pool: pool)
    }

    var frameCount: Int { Int(duration * Double(preview.frameRate)) }

    private var timeBase: TimeBase { Rational(1, Int32(preview.frameRate)) }

    /// The frame with this index, drawn.
    func frame(_ index: Int) throws -> VideoFrame {
        var frame = try backdrop.shared()
        frame.time = MediaTime(value: Int64(index), timeBase: timeBase)
        frame.duration = MediaTime(value: 1, timeBase: timeBase)
        try painter.draw([effect], at: frame.time.seconds, on: &frame, pool: pool)
        return frame
    }

    /// Encodes the whole effect.
    func writeVideo(to path: String) throws {
        let muxer = try Muxer(path: path, overwrite: preview.overwrite)
        let source = VideoStreamInfo(
            width: backdrop.width, height: backdrop.height,
            frameRate: Rational(Int32(preview.frameRate), 1))
        let encoder = VideoEncoder(
            settings: VideoEncoderSettings(preview.encoding), source: source,
            container: muxer.container, path: path, pool: pool)
        let writer = VideoWriter(encoder: encoder, muxer: muxer)
        for index in 0..<frameCount { try writer.write(try frame(index)) }
        try writer.finish()
        try muxer.finish()
    }

    /// Writes the whole effect as an animation that repeats.
    func writeAnimation(to path: String) throws {
        let first = try frame(0).image()
        let writer = try GIFWriter(
            path: path, width: first.width, height: first.height,
            frameRate: Rational(Int32(preview.frameRate), 1), overwrite: preview.overwrite)
        for index in 0..<frameCount { try writer.append(try frame(index).image()) }
        try writer.finish()
    }

    /// Twelve pictures of the effect, evenly spread over its life.
    func contactSheet() throws -> RGBAImage {
        let columns = 4
        let rows = 3
        var tiles: [RGBAImage] = []
        for index in 0..<columns * rows {
            let place = (Double(index) + 0.5) / Double(columns * rows)
            tiles.append(try frame(Int(place * Double(frameCount))).image(height: 270))
        }
        return ContactSheet.arrange(tiles, columns: columns)
    }
}
