import Synchronization

/// A veil, and what share of it lies on people.
struct TileVeil: Sendable {
    let wash: BlendWash
    /// 0 leaves them as they are, 1 veils them as the room.
    let onPeople: Double
}

/// All that is to be drawn on one picture, sorted by the bands it lies in.
///
/// Several brushes may follow it at once: each takes bands until none is left.
final class TileDrawing: Sendable {
    /// In the order in which they lie upon each other.
    let commands: [TileCommand]
    /// The commands before this one are behind people.
    let firstInFront: Int
    let washes: [TileVeil]
    /// Where people are.
    let mask: TileMask?
    /// The light on people's outlines.
    let rim: TileRim?
    private let height: Int
    /// How many bands the picture has.
    private let bandCount: Int
    /// The commands' indices sorted by the bands they lie in (a tall one is in several), and where each band's begin.
    private let order, starts: [Int]
    private let nextBand = Atomic<Int>(0)

    /// - Parameters:
    ///   - firstInFront: how many of the commands are behind people.
    ///   - mask: hides these.
    init(
        _ commands: [TileCommand], behind firstInFront: Int, washes: [TileVeil], hiding mask: TileMask?, width: Int,
        height: Int
    ) {
        self.commands = commands
        self.firstInFront = firstInFront
        self.washes = washes
        self.mask = mask
        self.height = height
        rim =
            mask == nil
            ? nil : TileRim(commands[..<min(firstInFront, commands.count)], width: width, height: height)
        bandCount = (height + TileGrid.tileHeight - 1) / TileGrid.tileHeight
        (order, starts) = Self.commandsByBand(commands, bandCount)
    }

    /// Takes the next band in which there is something to do.
    /// - Returns: its rows, and the indices of the commands that reach into it; `nil` if all bands are taken.
    func takeBand() -> (rows: Range<Int>, commands: ArraySlice<Int>)? {
        while true {
            let band = nextBand.add(1, ordering: .relaxed).oldValue
            if band >= bandCount { return nil }
            let top = band * TileGrid.tileHeight
            let indices = order[starts[band]..<starts[band + 1]]
            if rim != nil || !washes.isEmpty || !indices.isEmpty {
                return (top..<min(top + TileGrid.tileHeight, height), indices)
            }
        }
    }

    private static func commandsByBand(
        _ commands: [TileCommand], _ bandCount: Int
    ) -> (order: [Int], starts: [Int]) {
        var starts = [Int](repeating: 0, count: bandCount + 1)
        func bands(_ command: TileCommand) -> ClosedRange<Int> {
            let rows = command.outline.rows
            return rows.lowerBound / TileGrid.tileHeight...(rows.upperBound - 1) / TileGrid.tileHeight
        }
        for command in commands { for band in bands(command) { starts[band + 1] += 1 } }
        for band in 0..<bandCount { starts[band + 1] += starts[band] }
        var next = starts
        var order = [Int](repeating: 0, count: starts[bandCount])
        for (index, command) in commands.enumerated() {
            for band in bands(command) {
                order[next[band]] = index
                next[band] += 1
            }
        }
        return (order, starts)
    }
}
