import Effects
import MediaIO
import Pipeline
import Platform
import Raster
import Reactions

/// Draws the frames of an ``EffectPreview``, writes them to a file, and measures the cost of drawing. The class is no
/// stage of the pipeline.
///
/// Used by one thread at a time.
final class PreviewStage {
    let preview: EffectPreview
    let catalog: EffectCatalog
    let painter: FrameCompositor
    let effect: PlannedEffect
    let pool = FramePool()
    /// The picture behind the effect. Every frame shares it, and it is copied when drawn on.
    let backdrop: VideoFrame
    /// The seconds from the first frame to the end.
    let duration: Double

    /// - Throws: `MediaError` for the background, ``FlourishError`` for the type.
    convenience init(_ preview: EffectPreview) throws {
        let catalog = try EffectCatalog(
            resources: preview.resources ?? .located(), style: preview.style, adding: preview.descriptionFile,
            naming: [preview.reactionType])
        try self.init(preview, of: catalog)
    }

    /// - Parameters:
    ///   - catalog: The effects; the one that was added is shown instead of the preview's type.
    ///   - limitsFlashes: Whether effects that flash too often are weakened. The frames must then be successive.
    /// - Throws: `MediaError` for the background, ``FlourishError`` for the type.
    init(_ preview: EffectPreview, of catalog: EffectCatalog, limitsFlashes: Bool = false) throws {
        let type = catalog.added ?? preview.reactionType
        guard let preset = catalog.presets[type] else {
            throw EffectCatalog.unknown(type, among: catalog.types)
        }
        self.preview = preview
        self.catalog = catalog
        painter = FrameCompositor(
            catalog: catalog, seed: preview.seed, resources: preview.resources ?? .located(),
            limitsFlashes: limitsFlashes)
        duration = preset.duration + 2 * EffectPreview.margin
        effect = PlannedEffect(
            id: 1, reactionType: type, startTime: EffectPreview.margin,
            endTime: EffectPreview.margin + preset.duration, origin: preview.origin ?? preset.origin,
            trigger: .request, gesture: nil)
        backdrop =
            try preview.background.map { try Self.firstPicture(of: $0) }
            ?? Self.plainBackdrop(
                width: preview.width, height: preview.height, brightness: preview.brightness, pool: pool)
    }

    var frameCount: Int { Int(duration * Double(preview.frameRate)) }

    private var timeBase: TimeBase { Rational(1, Int32(preview.frameRate)) }

    /// Returns the rendered frame with an index.
    func frame(_ index: Int) throws -> VideoFrame {
        var frame = try emptyFrame(index)
        try painter.draw([effect], at: frame.time.seconds, on: &frame, pool: pool)
        return frame
    }

    /// The processor time for copying and drawing a frame, in milliseconds.
    struct Cost {
        var copy = 0.0, drawing = 0.0
    }

    /// Returns the rendered frame with an index, and its cost.
    func frame(_ index: Int, cost: inout Cost) throws -> VideoFrame {
        var frame = try emptyFrame(index)
        cost.copy = try ThreadClock.milliseconds { try frame.makeWritable(pool: pool) }
        cost.drawing = try ThreadClock.milliseconds {
            try painter.draw([effect], at: frame.time.seconds, on: &frame, pool: pool)
        }
        return frame
    }

    private func emptyFrame(_ index: Int) throws -> VideoFrame {
        var frame = try backdrop.shared()
        frame.time = MediaTime(value: Int64(index), timeBase: timeBase)
        frame.duration = MediaTime(value: 1, timeBase: timeBase)
        return frame
    }

    /// Returns whether the frame with an index shows the effect.
    func shows(_ index: Int) -> Bool {
        let time = Double(index) / Double(preview.frameRate)
        return time >= effect.startTime && time < effect.endTime
    }

    /// Encodes the whole effect.
    func writeVideo(to path: String) throws {
        let muxer = try Muxer(path: path, Muxer.Options(overwrite: preview.overwrite))
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
        var first = try frame(0).image()
        var height = first.height
        while let limit = preview.animationWidth, first.width > limit, height > 1 {
            // The width that follows from the rounded height may exceed the limit by a pixel.
            height = max(1, min(height - 1, Int((Double(height * limit) / Double(first.width)).rounded())))
            first = try frame(0).image(height: height)
        }
        let writer = try GIFWriter(
            path: path, width: first.width, height: first.height,
            frameRate: Rational(Int32(preview.frameRate), 1), overwrite: preview.overwrite)
        for index in 0..<frameCount { try writer.append(try frame(index).image(height: height)) }
        try writer.finish()
    }

    /// Returns twelve pictures of the effect, evenly distributed over its life.
    func contactSheet() throws -> RGBAImage {
        let columns = 4
        let rows = 3
        var tiles: [RGBAImage] = []
        for index in 0..<columns * rows {
            let place = (Double(index) + 0.5) / Double(columns * rows)
            tiles.append(try frame(Int(place * Double(frameCount))).image(height: 270))
        }
        return Self.arrange(tiles, columns: columns)
    }

    /// Arranges pictures of one size side by side, row after row, with narrow dark gaps.
    /// - Precondition: There is at least one picture, and all pictures have one size.
    private static func arrange(_ tiles: [RGBAImage], columns: Int) -> RGBAImage {
        let joint = 4
        let (width, height) = (tiles[0].width, tiles[0].height)
        let rows = (tiles.count + columns - 1) / columns
        var sheet = RGBAImage(
            width: columns * (width + joint) + joint, height: rows * (height + joint) + joint)
        for pixel in 0..<sheet.width * sheet.height {
            for channel in 0..<3 { sheet.pixels[pixel * 4 + channel] = 24 }
            sheet.pixels[pixel * 4 + 3] = 255
        }
        for (index, tile) in tiles.enumerated() {
            precondition(tile.width == width && tile.height == height)
            let left = joint + (index % columns) * (width + joint)
            let top = joint + (index / columns) * (height + joint)
            for y in 0..<height {
                let target = ((top + y) * sheet.width + left) * 4
                let source = y * width * 4
                sheet.pixels.replaceSubrange(
                    target..<target + width * 4, with: tile.pixels[source..<source + width * 4])
            }
        }
        return sheet
    }
}

extension PreviewStage {
    /// Measures the drawing of every frame. The result is the best of three rounds. Each round starts with fresh state,
    /// as a session does. The measured time excludes only preparations that a session finishes before an effect starts.
    static func measure(_ makeStage: () throws -> PreviewStage) throws -> EffectPreview.Measurement {
        var drawing: [Double] = [], copying: [Double] = []
        var stage = try makeStage()
        for round in 0..<3 {
            if round > 0 { stage = try makeStage() }
            let costs = try stage.costs()
            if round == 0 {
                drawing = costs.map(\.drawing)
                copying = costs.map(\.copy)
            } else {
                drawing = zip(drawing, costs).map { min($0, $1.drawing) }
                copying = zip(copying, costs).map { min($0, $1.copy) }
            }
        }
        let first = drawing.first ?? 0
        drawing.sort()
        let idle = try stage.idleCost()
        let (effect, backdrop) = (stage.effect, stage.backdrop.pictureFormat)
        func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }
        return EffectPreview.Measurement(
            reactionType: effect.reactionType, width: backdrop.width, height: backdrop.height,
            frames: drawing.count, meanMilliseconds: mean(drawing),
            medianMilliseconds: drawing.isEmpty ? 0 : drawing[drawing.count / 2],
            maximumMilliseconds: drawing.last ?? 0, firstMilliseconds: first, copyMilliseconds: mean(copying),
            idleCopies: idle.copies, idleLooks: idle.looks, idleMilliseconds: idle.milliseconds)
    }

    /// Returns the cost of each frame that shows the effect, in milliseconds.
    private func costs() throws -> [Cost] {
        painter.prepare([effect.reactionType], for: backdrop, waits: true)
        return try (0..<frameCount).filter(shows).map { index in
            var cost = Cost()
            _ = try frame(index, cost: &cost)
            return cost
        }
    }

    /// Returns the cost of 300 frames without an effect, which are sent through planning and rendering.
    private func idleCost() throws -> (copies: Int, looks: Int, milliseconds: Double) {
        let frames = 300
        let configuration = Configuration()
        let engine = ReactionEngine(
            .init(
                catalog: catalog, configuration: configuration, resources: preview.resources ?? .located(), pool: pool))
        let (switches, requests) = (EngineSwitches(configuration), EngineRequests(style: catalog.style))
        let before = pool.counts
        var milliseconds = 0.0
        for index in 0..<frames {
            var frame = try backdrop.shared()
            frame.time = MediaTime(value: Int64(index), timeBase: Rational(1, Int32(preview.frameRate)))
            var item = PipelineFrame(frame: frame, id: index, time: frame.time.seconds)
            milliseconds += try ThreadClock.milliseconds {
                _ = try engine.process(&item, switches) { requests }
            }
        }
        return (
            pool.counts.copies - before.copies + pool.counts.allocations - before.allocations,
            engine.maskInferenceCount, milliseconds / Double(frames)
        )
    }
}

/// The backgrounds of previewed effects.
extension PreviewStage {
    /// Returns the first picture of an image or a video.
    /// - Throws: `MediaError`, and ``FlourishError/Code/inputUnusable`` if there is none.
    fileprivate static func firstPicture(of path: String) throws -> VideoFrame {
        let source = try FrameSource(path, InputSettings())
        let reader = InputReader(source, copiesOtherStreams: false, interrupt: InterruptFlag())
        guard let item = try reader.nextFrame(copy: { _ in true }) else {
            throw FlourishError.noPicture(in: source.demuxer)
        }
        return item.takeFrame()
    }

    /// Returns a wall in the light of a lamp: grey, a little brighter toward the upper left.
    /// - Parameter brightness: The luma in the upper left.
    fileprivate static func plainBackdrop(
        width: Int, height: Int, brightness: Int, pool: FramePool
    ) throws -> VideoFrame {
        var frame = try VideoFrame(
            format: PictureFormat(width: width, height: height), time: .zero, pool: pool)
        try frame.withMutablePicture(pool: pool) { picture in
            picture.with8BitPlane(.luma) { samples, stride in
                for y in 0..<height {
                    for x in 0..<width {
                        let fall = 60 * x / width + 40 * y / height
                        samples[y * stride + x] = UInt8(clamping: max(16, brightness - fall))
                    }
                }
            }
            for plane in [Plane.cb, .cr] {
                let rows = picture.format.height(of: plane)
                let columns = picture.format.width(of: plane)
                picture.with8BitPlane(plane) { samples, stride in
                    for y in 0..<rows {
                        for x in 0..<columns { samples[y * stride + x] = plane == .cb ? 126 : 130 }
                    }
                }
            }
        }
        return frame
    }
}
