package import Raster

/// Tells at a glance whether a picture of a video shows something that the last look at it did not.
///
/// A look for palms costs sixty times as much as a glance. What glances compare with is the picture that was
/// *looked at* last, not the one before: a hand that rises by a pixel from picture to picture is news in the end.
///
/// Cells of the picture have habits. Where a face talks, a leaf moves in the wind or a camera makes noise, a change
/// is news only if it is larger than those that turned out to be no hand. What all cells have in common is light.
///
/// The result depends on the pictures alone. Used by one thread at a time.
package struct SceneWatch: Sendable {
    /// What has changed since the last look.
    package enum Change: Sendable, Hashable {
        /// Nothing to speak of.
        case none
        /// No more than what moves there all the time.
        case usual
        /// Something that is new there, and moves.
        case moving
        /// Something that is new there and stays: a hand that was raised to be seen.
        case arrival
    }

    /// From this difference of codes on a cell has changed. Noise and compression change the mean of a cell by one or two.
    private static let leastDifference: Float = 6
    /// A change is news where it is larger than this many usual ones.
    private static let leastExcess: Float = 1.5
    /// A cell that differs by less from the glance before keeps still.
    private static let stillness: Float = 4
    /// So many cells: a hand of a tenth of the picture's height covers three in part.
    private static let leastCells = 3
    /// A picture is dark below this mean code: a fifth of the way from black to white. Rooms with a lamp on are above it.
    private static let darkness: Float = 60
    /// How fast a habit is learned, and how fast it is lost, as shares of the difference, for each look.
    private static let learning: Float = 0.5, forgetting: Float = 0.1

    private var current = CellMeans(), before = CellMeans()
    /// The picture of the last look.
    private var reference: CellMeans?
    /// How much each cell of the picture glanced at last differs from the reference, and from the glance before.
    private var differences: [Float] = [], steps: [Float] = []
    /// By how much each cell mostly changes from look to look while no hand is seen.
    private var habits: [Float] = []
    /// Whether the scene is another one than at the last look: most of the picture was new at once, after one that kept
    /// still. Then nothing is a habit yet, and nothing stands out.
    private var isCut = false
    /// In how many cells the picture glanced at last differs from the one before.
    private var movingCells = 0
    /// Where the picture glanced at last shows something new, what changed most first: what keeps still, or else what
    /// moves. After a cut, everywhere.
    package private(set) var newcomers: [Newcomer] = []

    package init() {}

    /// Whether the picture glanced at last is dark as a whole. What coding leaves of so little light differs much
    /// where it is decoded without the codec's loop filter: hands that are plain with it are not found.
    package private(set) var isDark = false

    /// Glances at the next picture.
    package mutating func glance(at picture: borrowing Picture) -> Change {
        swap(&current, &before)
        current.read(picture)
        isDark = current.luma.reduce(0, +) < Self.darkness * Float(current.luma.count)
        if habits.count != current.luma.count || before.columns != current.columns { begin() }
        guard let reference else {
            newcomers = []
            return .arrival
        }
        current.compare(with: reference, into: &differences)
        current.compare(with: before, into: &steps)
        var changed = 0, new = 0, arrived = 0
        var moving = NewCells(columns: current.columns, rows: current.rows), still = moving
        for row in 0..<current.rows {
            for column in 0..<current.columns {
                let cell = row * current.columns + column
                let difference = differences[cell]
                guard difference > Self.leastDifference else { continue }
                changed += 1
                let excess = difference - Self.leastDifference - Self.leastExcess * habitAround(column, row)
                guard excess > 0 else { continue }
                new += 1
                moving.note(column: column, row: row, excess: excess)
                guard steps[cell] < Self.stillness else { continue }
                arrived += 1
                still.note(column: column, row: row, excess: excess)
            }
        }
        let wasStill = 2 * movingCells < current.luma.count
        movingCells = steps.count { $0 >= Self.stillness }
        if wasStill, 2 * new > current.luma.count { isCut = true }
        newcomers = isCut ? [.everything] : arrived > 0 ? still.parts(stays: true) : moving.parts(stays: false)
        if arrived >= Self.leastCells { return .arrival }
        return new >= Self.leastCells ? .moving : changed >= Self.leastCells ? .usual : .none
    }

    /// Notes that the picture glanced at last was looked at.
    /// - Parameters:
    ///   - foundHands: where no hand was seen, what has changed was none, and is learned.
    ///   - isSure: whether they surely are hands. Where a face may have been taken for one, what moves is still to come to
    ///     rest, and is news then: it has not been looked at closely yet.
    package mutating func looked(foundHands: Bool, isSure: Bool = true) {
        if reference != nil, !foundHands, !isCut {
            for cell in habits.indices {
                let excess = differences[cell] - habits[cell]
                habits[cell] += excess * (excess > 0 ? Self.learning : Self.forgetting)
            }
        }
        var looked = current
        if foundHands, !isSure, let reference, !isCut {
            for cell in differences.indices
            where steps[cell] >= Self.stillness && differences[cell] > Self.leastDifference {
                looked.take(cell, from: reference)
            }
        }
        reference = looked
        isCut = false
    }

    /// Forgets the pictures, not the habits: the next one is news whatever it shows.
    package mutating func lookAway() {
        reference = nil
        isCut = false
    }

    /// Starts over with pictures of another size.
    private mutating func begin() {
        lookAway()
        before = current
        habits = [Float](repeating: 0, count: current.luma.count)
        (differences, steps) = (habits, habits)
    }

    /// The greatest habit of a cell and those around it: a head that sways reaches a little farther now and then.
    private func habitAround(_ column: Int, _ row: Int) -> Float {
        var greatest: Float = 0
        for y in max(0, row - 1)...min(current.rows - 1, row + 1) {
            for x in max(0, column - 1)...min(current.columns - 1, column + 1) {
                greatest = max(greatest, habits[y * current.columns + x])
            }
        }
        return greatest
    }
}

extension CellMeans {
    /// By how much each cell differs from another picture's, apart from what most cells have in common. Chroma counts
    /// twice: skin and a wall that are equally bright differ little in it.
    fileprivate func compare(with other: CellMeans, into differences: inout [Float]) {
        let light = Self.median(luma, other.luma)
        let (blue, red) = (Self.median(cb, other.cb), Self.median(cr, other.cr))
        for cell in differences.indices {
            let brightness = abs(luma[cell] - other.luma[cell] - light)
            let tint = max(abs(cb[cell] - other.cb[cell] - blue), abs(cr[cell] - other.cr[cell] - red))
            differences[cell] = max(brightness, 2 * tint)
        }
    }

    /// The median of the differences.
    private static func median(_ values: [Float], _ others: [Float]) -> Float {
        var differences = values
        for index in differences.indices { differences[index] -= others[index] }
        differences.sort()
        return differences[differences.count / 2]
    }
}

/// The parts of a grid of cells in which something is new.
private struct NewCells {
    private let columns: Int, rows: Int
    /// By how much each cell is news; 0 where it is none, and once it has been counted.
    private var excess: [Float]

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        excess = [Float](repeating: 0, count: columns * rows)
    }

    mutating func note(column: Int, row: Int, excess value: Float) { excess[row * columns + column] = value }

    /// The parts, those first that changed most. Cells touch at sides and corners.
    /// - Parameter stays: whether they are cells that keep still.
    consuming func parts(stays: Bool) -> [Newcomer] {
        var found: [(part: Newcomer, weight: Float)] = []
        for start in excess.indices where excess[start] > 0 {
            var weight: Float = 0, box = (left: columns, top: rows, right: 0, bottom: 0), open = [start]
            while let cell = open.popLast() {
                guard excess[cell] > 0 else { continue }
                weight += excess[cell]
                excess[cell] = 0
                let (row, column) = cell.quotientAndRemainder(dividingBy: columns)
                box = (
                    min(box.left, column), min(box.top, row), max(box.right, column + 1), max(box.bottom, row + 1)
                )
                for y in max(0, row - 1)...min(rows - 1, row + 1) {
                    for x in max(0, column - 1)...min(columns - 1, column + 1) { open.append(y * columns + x) }
                }
            }
            let part = Newcomer(
                left: Double(box.left) / Double(columns), top: Double(box.top) / Double(rows),
                right: Double(box.right) / Double(columns), bottom: Double(box.bottom) / Double(rows), stays: stays)
            found.append((part, weight))
        }
        return found.sorted { $0.weight > $1.weight }.map(\.part)
    }
}
