import Effects
import MediaIO
package import Pipeline
import Platform
import Raster
package import Reactions

/// The description of an effect that is being edited, as text.
package struct EffectDraft: Sendable {
    package var json: [UInt8]
    /// The path of its file, which errors name. Its sprites are in the same folder.
    package var file: String

    package init(json: [UInt8], file: String) {
        self.json = json
        self.file = file
    }
}

/// Draws descriptions of effects while they are edited. The pictures are those of a run, in front of a plain wall.
///
/// Any thread may use it. Models and sprites are loaded once.
package struct DraftPreview: Sendable {
    /// The frame rate in frames a second.
    package static let rate = 30
    /// The quantiser of the pictures, fine enough that a plain wall has no visible blocks.
    private static let quality = 3

    /// The picture in which a draft is shown.
    package struct View: Sendable {
        /// The picture's height in pixels; its width is 16 / 9 of that.
        package var height: Int
        /// The luma of the wall where it is brightest.
        package var brightness: Int
        /// The seed of all random choices.
        package var seed: UInt64

        package init(height: Int, brightness: Int, seed: UInt64) {
            self.height = height
            self.brightness = brightness
            self.seed = seed
        }
    }

    /// The cost of an effect's frames, and their flashes.
    package struct Figures: Sendable, Hashable {
        /// The processor time for drawing a frame that shows the effect, in milliseconds: the mean and the maximum.
        package var meanMilliseconds: Double
        package var maximumMilliseconds: Double
        /// The greatest number of flashes in any second.
        package var flashes: Int
        /// The seconds after which the effect is hidden, because it would flash too often; `nil` if it is shown to its
        /// end.
        package var hiddenAt: Double?
    }

    /// A part of the result, in the order in which parts are made.
    package enum Part: Sendable {
        case beginning(frames: Int, width: Int, height: Int)
        /// The requested frame, as JPEG.
        case still(jpeg: [UInt8])
        case frame(index: Int, jpeg: [UInt8])
        case figures(Figures)
    }

    private let catalog: EffectCatalog
    private let resources: Resources

    /// Reads the installed effects.
    ///
    /// - Throws: ``FlourishError/Code/unavailable`` if there are none.
    package init(resources: Resources) throws(FlourishError) {
        var resources = resources
        // Custom effects that cannot be read must not prevent the editing of others.
        resources.effectFolders = []
        resources.shared = resources.shared ?? SharedResources()
        self.resources = resources
        catalog = try EffectCatalog(resources: resources)
    }

    /// The built-in types.
    package var builtIn: [ReactionType] { catalog.types }

    /// Checks a description and its sprites.
    ///
    /// - Returns: The effect's type.
    /// - Throws: `EffectError` with the place of the first fault.
    @discardableResult
    package func check(_ draft: EffectDraft) throws(EffectError) -> String {
        try catalog.adding(draft.json, file: draft.file).added?.rawValue ?? ""
    }

    /// Draws one frame, and then all, limited in their flashes as in a run; measures the drawing.
    ///
    /// - Parameters:
    ///   - first: The index of the frame that is drawn first.
    ///   - receive: Receives a part of the result; returns whether to continue.
    /// - Throws: ``FlourishError``; ``FlourishError/Code/inputUnusable`` for an invalid description.
    package func draw(
        _ draft: EffectDraft, _ view: View, from first: Int, receive: (Part) -> Bool
    ) throws(FlourishError) {
        do {
            let changed = try catalog(with: draft)
            let stage = try stage(changed, view, limitsFlashes: true)
            let count = stage.frameCount
            guard receive(.beginning(frames: count, width: stage.backdrop.width, height: stage.backdrop.height)) else {
                return
            }
            let still = try self.stage(changed, view).frame(max(first, 0) % count)
            guard receive(.still(jpeg: try still.jpegBytes(height: still.height, quality: Self.quality))) else {
                return
            }
            try draw(count, of: stage, receive)
        } catch { throw FlourishError(describing: error) }
    }

    /// Draws all frames in their order.
    private func draw(_ count: Int, of stage: PreviewStage, _ receive: (Part) -> Bool) throws {
        stage.painter.prepare([stage.effect.reactionType], for: stage.backdrop, waits: true)
        var costs: [Double] = [], hiddenAt: Double?
        var flashes = 0, limiter = FlashLimiter()
        var base = LightCells(), drawn = LightCells()
        stage.backdrop.withPicture { base.read($0) }
        for index in 0..<count {
            var cost = PreviewStage.Cost()
            let frame = try stage.frame(index, cost: &cost)
            let time = frame.time.seconds
            if stage.shows(index) { costs.append(cost.drawing) }
            if stage.painter.takeWarnings().contains(where: { $0.code == .flashesLimited }) {
                hiddenAt = hiddenAt ?? time - EffectPreview.margin
            }
            frame.withPicture { drawn.read($0) }
            _ = limiter.begin(base, at: time)
            limiter.show(drawn, over: base, at: time)
            flashes = max(flashes, limiter.flashes(at: time))
            guard receive(.frame(index: index, jpeg: try frame.jpegBytes(height: frame.height, quality: Self.quality)))
            else { return }
        }
        _ = receive(
            .figures(
                Figures(
                    meanMilliseconds: costs.reduce(0, +) / Double(max(1, costs.count)),
                    maximumMilliseconds: costs.max() ?? 0, flashes: flashes, hiddenAt: hiddenAt)))
    }

    /// Measures the drawing in pictures of a size, as ``EffectPreview/measure()`` does.
    ///
    /// - Throws: ``FlourishError``; ``FlourishError/Code/inputUnusable`` for an invalid description.
    package func measure(_ draft: EffectDraft, _ view: View) throws(FlourishError) -> EffectPreview.Measurement {
        do {
            let changed = try catalog(with: draft)
            return try PreviewStage.measure { try stage(changed, view) }
        } catch { throw FlourishError(describing: error) }
    }

    private func catalog(with draft: EffectDraft) throws(FlourishError) -> EffectCatalog {
        do throws(EffectError) { return try catalog.adding(draft.json, file: draft.file) } catch {
            throw FlourishError(error)
        }
    }

    private func stage(_ catalog: EffectCatalog, _ view: View, limitsFlashes: Bool = false) throws -> PreviewStage {
        var preview = EffectPreview(catalog.added ?? ReactionType(rawValue: ""))
        (preview.height, preview.width) = (view.height, view.height * 16 / 9)
        (preview.brightness, preview.seed) = (view.brightness, view.seed)
        (preview.frameRate, preview.resources) = (Self.rate, resources)
        return try PreviewStage(preview, of: catalog, limitsFlashes: limitsFlashes)
    }
}
