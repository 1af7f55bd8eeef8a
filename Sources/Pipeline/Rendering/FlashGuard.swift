import Effects
import Frames
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
        for (key, part) in parts {
            try Self.mix(&frame, with: before, in: Self.tile(key, effects), keeping: part.strength(at: time), pool)
        }
        frame.withPicture { views[0].drawn.read($0) }
        let hidden = hide(effects, at: time)
        for key in hidden { try Self.mix(&frame, with: before, in: Self.tile(key, effects), keeping: 0, pool) }
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
            func mix(_ key: Int?, _ share: Double) throws {
                let tile = Self.tile(key, effects)
                try Self.mix(&black, with: dark, in: tile, keeping: share, pool)
                try Self.mix(&white, with: bright, in: tile, keeping: share, pool)
            }
            for (key, part) in parts { try mix(key, part.strength(at: time)) }
            black.withPicture { views[0].drawn.read($0) }
            white.withPicture { views[1].drawn.read($0) }
            for key in hide(effects, at: time) { try mix(key, 0) }
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

    /// Chooses the parts whose effects are hidden in this frame, because it would flash too often.
    ///
    /// - Returns: The numbers of the parts' tiles.
    private mutating func hide(_ effects: [PlannedEffect], at time: Double) -> [Int?] {
        var keys: [Int?] = []
        for view in views {
            guard let excess = view.limiter.excess(in: view.drawn, over: view.base, at: time) else { continue }
            let tiles = effects.map(\.tile)
            let guilty = tiles.filter { tile in
                // Effects of the whole picture cannot be distinguished from those of tiles.
                tiles.contains(nil) ? tile == nil : tile.map { excess.concerns($0) } ?? true
            }
            // A part that is hidden already cannot become weaker. Its cells count as excessive for a second.
            let shown = guilty.filter { parts[$0?.id].map { $0.strength(at: time) > 0 } ?? true }
            for tile in shown where !keys.contains(tile?.id) {
                keys.append(tile?.id)
                parts[tile?.id] = Part(ceiling: (parts[tile?.id]?.ceiling ?? 1) / 2, hiddenAt: time)
                warnings.append(Self.warning(excess.flash, effects.filter { $0.tile?.id == tile?.id }, tile))
            }
        }
        return keys
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

    private static func tile(_ id: Int?, _ effects: [PlannedEffect]) -> LayoutTile? {
        effects.first { $0.tile?.id == id }?.tile
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
    /// Returns whether some of the cells are in a tile.
    fileprivate func concerns(_ tile: LayoutTile) -> Bool {
        cells.contains { cell in
            let x = (Double(cell % LightCells.columns) + 0.5) / Double(LightCells.columns)
            let y = (Double(cell / LightCells.columns) + 0.5) / Double(LightCells.rows)
            return (tile.x..<tile.x + tile.width).contains(x) && (tile.y..<tile.y + tile.height).contains(y)
        }
    }
}
