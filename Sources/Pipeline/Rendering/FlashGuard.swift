import Effects
import MediaIO
import Raster
import Reactions

/// Weakens the effects of frames that would otherwise flash too often. See `FlashLimiter` of Effects.
///
/// Frames without effects are not read. The result depends only on the frames with effects of the last second, so it is
/// the same on every machine, and in every segment of smart rendering.
struct FlashGuard {
    /// The effects of one tile, or of the whole picture.
    private struct Part {
        /// The share of the effects' strength to which they return.
        var ceiling: Double
        /// The time at which they were last hidden.
        var hiddenAt: Double

        /// The seconds after hiding in which effects return.
        static let returning = 1.0

        func strength(at time: Double) -> Double {
            let returned = (time - hiddenAt - FlashLimiter.window) / Self.returning
            return ceiling * min(max(returned, 0), 1)
        }
    }

    /// A picture without and with effects.
    private struct View {
        var limiter = FlashLimiter()
        var base = LightCells()
        var drawn = LightCells()
    }

    private var views: [View] = []
    /// The weakened parts, by their tiles' numbers; `nil` is the whole picture.
    private var parts: [Int?: Part] = [:]
    private var warnings: [PipelineWarning] = []

    /// Returns the warnings since the last call, and removes them.
    mutating func takeWarnings() -> [PipelineWarning] {
        defer { warnings = [] }
        return warnings
    }

    /// Draws effects on a frame, and weakens them if necessary.
    ///
    /// - Parameter paint: Draws the effects.
    mutating func draw(
        _ effects: [PlannedEffect], at time: Double, on frame: inout VideoFrame, pool: FramePool,
        _ paint: (inout VideoFrame) throws -> Void
    ) throws {
        guard frame.hasPicture else { return try paint(&frame) }
        if views.count != 1 { (views, parts) = ([View()], [:]) }
        frame.withPicture { views[0].base.read($0) }
        let isNear = begin(at: time)
        guard isNear else {
            try paint(&frame)
            frame.withPicture { views[0].drawn.read($0) }
            return show(at: time)
        }
        let before = try frame.shared()
        try paint(&frame)
        for (tile, part) in weakened(effects) {
            try Self.mix(&frame, with: before, in: tile, keeping: part.strength(at: time), pool)
        }
        frame.withPicture { views[0].drawn.read($0) }
        let hidden = hide(effects, on: frame, at: time)
        for tile in hidden { try Self.mix(&frame, with: before, in: tile, keeping: 0, pool) }
        if !hidden.isEmpty { frame.withPicture { views[0].drawn.read($0) } }
        show(at: time)
    }

    /// Weakens effects that were drawn on black and on white, if necessary.
    mutating func limit(
        _ effects: [PlannedEffect], at time: Double, black: inout VideoFrame, white: inout VideoFrame
    ) throws {
        if views.count != 2 {
            (views, parts) = ([View(), View()], [:])
            (views[0].base, views[1].base) = (LightCells(grey: 0), LightCells(grey: 1))
        }
        if begin(at: time) {
            let pool = FramePool()
            var dark = try black.canvas(pool: pool), bright = try white.canvas(pool: pool)
            try dark.fill(pool: pool)
            try bright.fill(white: true, pool: pool)
            func mix(_ tile: LayoutTile?, _ share: Double) throws {
                try Self.mix(&black, with: dark, in: tile, keeping: share, pool)
                try Self.mix(&white, with: bright, in: tile, keeping: share, pool)
            }
            for (tile, part) in weakened(effects) { try mix(tile, part.strength(at: time)) }
            black.withPicture { views[0].drawn.read($0) }
            white.withPicture { views[1].drawn.read($0) }
            for tile in hide(effects, on: black, at: time) { try mix(tile, 0) }
        }
        black.withPicture { views[0].drawn.read($0) }
        white.withPicture { views[1].drawn.read($0) }
        show(at: time)
    }

    /// Begins a frame whose pictures without effects were read.
    ///
    /// - Returns: whether the frame may flash too often, or effects are weakened.
    private mutating func begin(at time: Double) -> Bool {
        for index in views.indices where views[index].limiter.begin(views[index].base, at: time) { parts = [:] }
        return !parts.isEmpty || views.contains { $0.limiter.isNearLimit(at: time) }
    }

    private mutating func show(at time: Double) {
        for index in views.indices { views[index].limiter.show(views[index].drawn, over: views[index].base, at: time) }
    }

    /// Returns the weakened parts that have effects in this frame, those of tiles first. Other parts stay weakened until
    /// their effects return.
    private func weakened(_ effects: [PlannedEffect]) -> [(tile: LayoutTile?, part: Part)] {
        FrameCompositor.tiles(effects).compactMap { tile in parts[tile?.id].map { (tile, $0) } }
    }

    /// Chooses the parts whose effects are hidden in this frame, because it would flash too often.
    ///
    /// - Returns: The parts' tiles; `nil` is the whole picture.
    private mutating func hide(
        _ effects: [PlannedEffect], on frame: borrowing VideoFrame, at time: Double
    ) -> [LayoutTile?] {
        var hidden: [LayoutTile?] = []
        let tiles = FrameCompositor.tiles(effects)
        let regions = tiles.map { tile in tile.map { $0.region(of: frame) } }
        for view in views {
            guard let excess = view.limiter.excess(in: view.drawn, over: view.base, at: time) else { continue }
            let guilty = zip(tiles, regions).filter { _, region in
                // Effects of the whole picture cannot be distinguished from those of tiles.
                guard let region else { return true }
                return !tiles.contains(nil) && excess.concerns(region, width: frame.width, height: frame.height)
            }
            // A part that is hidden already cannot become weaker. Its cells count as excessive for a second.
            let shown = guilty.map(\.0).filter { parts[$0?.id].map { $0.strength(at: time) > 0 } ?? true }
            for tile in shown where !hidden.contains(tile) {
                hidden.append(tile)
                parts[tile?.id] = Part(ceiling: (parts[tile?.id]?.ceiling ?? 1) / 2, hiddenAt: time)
                warnings.append(Self.warning(excess.flash, effects.filter { $0.tile?.id == tile?.id }, tile))
            }
        }
        return hidden
    }

    private static func warning(
        _ flash: FlashLimiter.Flash, _ effects: [PlannedEffect], _ tile: LayoutTile?
    ) -> PipelineWarning {
        let names = Set(effects.map(\.reactionType.rawValue)).sorted().joined(separator: ", ")
        let kind = flash == .red ? "in saturated red more" : "more"
        return PipelineWarning(
            code: .flashesLimited,
            message:
                "\(names)\(tile.map { " in tile \($0.id)" } ?? ""): weakened, since it would flash \(kind) than three times in a second; make its light fainter, smaller or slower, or allow it with --no-limit-flashes"
        )
    }

    /// Mixes a frame, or a tile of it, with the frame before drawing.
    private static func mix(
        _ frame: inout VideoFrame, with before: borrowing VideoFrame, in tile: LayoutTile?, keeping share: Double,
        _ pool: FramePool
    ) throws {
        guard share < 1 else { return }
        guard let region = tile?.region(of: before) else {
            return try before.withPicture { old in
                try frame.withMutablePicture(pool: pool) { $0.mix(with: old, keeping: share) }
            }
        }
        let part = try before.region(region)
        try part.withPicture { old in
            try frame.withMutablePicture(pool: pool) { picture in
                picture.withRegion(columns: region.columns, rows: region.rows) { $0.mix(with: old, keeping: share) }
            }
        }
    }
}

extension FlashLimiter.Excess {
    /// Returns whether the centres of some of the cells are in a region of a picture, as it is stored.
    fileprivate func concerns(_ region: PictureRegion, width: Int, height: Int) -> Bool {
        cells.contains { cell in
            region.columns.contains((2 * (cell % LightCells.columns) + 1) * width / (2 * LightCells.columns))
                && region.rows.contains((2 * (cell / LightCells.columns) + 1) * height / (2 * LightCells.rows))
        }
    }
}
