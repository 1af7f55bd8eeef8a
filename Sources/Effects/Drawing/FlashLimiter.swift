package import Raster

/// Limits the flashes that effects cause to three in any second, by the definition of WCAG 2.2 (2.3.1).
///
/// A *turn* of a cell is a change of its relative luminance by a tenth or more against the direction of the last turn,
/// with the darker value below 0.8; or a change of saturated red by more than 20. Two turns are a flash. Only changes
/// that effects cause count: without the effects, the cell would have changed by less.
///
/// A field is a third of the picture's width and height, or the whole picture. Once a quarter of a field's cells have
/// turned six times in a second, nothing is drawn in which they would turn again: the caller shows the picture without
/// effects, and lets them return, weaker, a second later.
package struct FlashLimiter: Sendable {
    /// A kind of flash.
    package enum Flash: String, Sendable, Hashable { case general, red }

    /// The cells that would flash too often, and the kind.
    package struct Excess: Sendable {
        package var flash: Flash
        package var cells: Set<Int>
    }

    /// The turns of three flashes.
    private static let allowedTurns = 6
    /// The time in which turns are counted, in seconds. The limiter forgets effects that ended this long ago.
    package static let window = 1.0

    private var general: [FlashTrack] = []
    private var red: [FlashTrack] = []
    private var lastTime: Double?

    package init() {}

    /// Begins a frame. Without a frame in the last second, and if time moves backwards, the limiter begins anew.
    ///
    /// - Parameter base: The frame without effects.
    /// - Returns: whether it has begun anew.
    package mutating func begin(_ base: LightCells, at time: Double) -> Bool {
        defer { lastTime = time }
        if let lastTime, time >= lastTime, time - lastTime < Self.window { return false }
        general = (0..<LightCells.count).map { FlashTrack(start: base.luminance($0), isMarked: false) }
        red = (0..<LightCells.count).map {
            FlashTrack(start: base.redness($0).value, isMarked: base.redness($0).isSaturated)
        }
        return true
    }

    /// True if the next frame may flash too often.
    package func isNearLimit(at time: Double) -> Bool {
        [general, red].contains { tracks in
            Self.fills(tracks.indices.filter { tracks[$0].count(at: time) >= Self.allowedTurns })
        }
    }

    /// Returns the number of flashes in the second before a time, up to four: the most with which a quarter of a field
    /// has flashed.
    package func flashes(at time: Double) -> Int {
        (1...FlashTrack.kept / 2).last { number in
            [general, red].contains { tracks in
                Self.fills(tracks.indices.filter { tracks[$0].count(at: time) >= 2 * number })
            }
        } ?? 0
    }

    /// Returns the cells that flash too often if a picture is shown; `nil` if it may be shown.
    package func excess(in drawn: LightCells, over base: LightCells, at time: Double) -> Excess? {
        let kinds: [(Flash, [Int])] = [
            (
                .general,
                general.indices.filter { cell in
                    general[cell].exceeds(Self.allowedTurns, at: time) { $0.turnsGeneral(drawn, base, cell) }
                }
            ),
            (
                .red,
                red.indices.filter { cell in
                    red[cell].exceeds(Self.allowedTurns, at: time) { $0.turnsRed(drawn, base, cell) }
                }
            ),
        ]
        for (flash, cells) in kinds where Self.fills(cells) { return Excess(flash: flash, cells: Set(cells)) }
        return nil
    }

    /// Records the picture that is shown.
    package mutating func show(_ drawn: LightCells, over base: LightCells, at time: Double) {
        for cell in general.indices {
            let turn = general[cell].turnsGeneral(drawn, base, cell)
            general[cell].add(drawn.luminance(cell), base.luminance(cell), isMarked: false, turn, at: time)
            let redness = drawn.redness(cell), redTurn = red[cell].turnsRed(drawn, base, cell)
            red[cell].add(
                redness.value, base.redness(cell).value, isMarked: redness.isSaturated, redTurn, at: time)
        }
    }

    /// Returns whether cells are more than a quarter of a field, wherever the field is.
    private static func fills(_ cells: [Int]) -> Bool {
        let (columns, rows) = (LightCells.columns, LightCells.rows)
        let (width, height) = (columns / 3, rows / 3)
        // A quarter of the smallest field is needed in any case.
        guard cells.count > width * height / 4 else { return false }
        if cells.count > LightCells.count / 4 { return true }
        var sums = [Int](repeating: 0, count: (columns + 1) * (rows + 1))
        let isFull = Set(cells)
        for row in 0..<rows {
            for column in 0..<columns {
                let place = (row + 1) * (columns + 1) + column + 1
                sums[place] =
                    sums[place - 1] + sums[place - columns - 1] - sums[place - columns - 2]
                    + (isFull.contains(row * columns + column) ? 1 : 0)
            }
        }
        for top in 0...rows - height {
            for left in 0...columns - width {
                let (upper, lower) = (top * (columns + 1) + left, (top + height) * (columns + 1) + left)
                if sums[lower + width] - sums[lower] - sums[upper + width] + sums[upper] > width * height / 4 {
                    return true
                }
            }
        }
        return false
    }
}

/// The turns of one cell in one measure.
private struct FlashTrack: Sendable {
    enum Turn: Sendable { case up, down }

    /// The extremes since the last turn, the values without effects at those times, and whether the cell was saturated
    /// red.
    private var low: Float, high: Float
    private var lowBase: Float, highBase: Float
    private var lowIsMarked: Bool, highIsMarked: Bool
    private var last: Turn?
    /// The times of the last turns.
    private var times: [Double] = []
    static let kept = 8

    init(start: Float, isMarked: Bool) {
        (low, high, lowBase, highBase) = (start, start, start, start)
        (lowIsMarked, highIsMarked) = (isMarked, isMarked)
    }

    /// The number of turns in the second before a time.
    func count(at time: Double) -> Int { times.count { $0 > time - FlashLimiter.window } }

    /// Returns whether the cell has had more turns than are allowed, or would have with another.
    func exceeds(_ allowed: Int, at time: Double, turns: (FlashTrack) -> Turn?) -> Bool {
        let count = count(at: time)
        return count > allowed || count == allowed && turns(self) != nil
    }

    func turnsGeneral(_ drawn: LightCells, _ base: LightCells, _ cell: Int) -> Turn? {
        let value = drawn.luminance(cell), base = base.luminance(cell)
        let (rise, fall) = (value - low, high - value)
        if last != .up, rise >= 0.1, low < 0.8, rise - (base - lowBase) >= 0.1 { return .up }
        if last != .down, fall >= 0.1, value < 0.8, fall - (highBase - base) >= 0.1 { return .down }
        return nil
    }

    func turnsRed(_ drawn: LightCells, _ base: LightCells, _ cell: Int) -> Turn? {
        let (value, isSaturated) = drawn.redness(cell), base = base.redness(cell).value
        let (rise, fall) = (value - low, high - value)
        if last != .up, rise > 20, isSaturated || lowIsMarked, rise - (base - lowBase) > 20 { return .up }
        if last != .down, fall > 20, isSaturated || highIsMarked, fall - (highBase - base) > 20 { return .down }
        return nil
    }

    mutating func add(_ value: Float, _ base: Float, isMarked: Bool, _ turn: Turn?, at time: Double) {
        if let turn {
            last = turn
            if times.count == Self.kept { times.removeFirst() }
            times.append(time)
        }
        if turn != nil || value < low { (low, lowBase, lowIsMarked) = (value, base, isMarked) }
        if turn != nil || value > high { (high, highBase, highIsMarked) = (value, base, isMarked) }
    }
}
