import Synchronization

/// A veil over the picture, and the share of the veil that applies to people.
struct TileVeil: Sendable {
    let wash: BlendWash
    /// The share for people: 0 leaves people unchanged, 1 veils them like the room.
    let onPeople: Double
}

/// The commands for one picture, sorted by the bands that they touch.
///
/// Two brushes on two threads may share a drawing. ``dequeueBand()``, the only method that changes it, gives each band
/// to one brush.
final class TileDrawing: Sendable {
    /// The commands in drawing order.
    let commands: [TileCommand]
    /// The index of the first command in front of people.
    let firstInFront: Int
    let washes: [TileVeil]
    /// The mask of people.
    let mask: TileMask?
    /// The light on people's outlines.
    let rim: TileRim?
    private let height: Int
    /// The number of the picture's bands.
    private let bandCount: Int
    /// The commands' indices, sorted by the bands that they touch, and the start of each band's indices. A tall command
    /// is in several bands.
    private let order, starts: [Int]
    private let nextBand = Atomic<Int>(0)

    /// - Parameters:
    ///   - firstInFront: The number of commands behind people.
    ///   - mask: The mask of the people who hide these commands.
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

    /// Claims the next band with commands.
    /// - Returns: The rows and the indices of the commands of the next band; `nil` if there are no more bands.
    func dequeueBand() -> (rows: Range<Int>, commands: ArraySlice<Int>)? {
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
