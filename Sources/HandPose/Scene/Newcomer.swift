/// A part of a picture that was not there at the last look: cells that touch each other.
package struct Newcomer: Sendable, Hashable {
    /// In shares of the stored picture's width and height.
    package var left, top, right, bottom: Double
    /// Whether it kept still between two glances.
    var stays = true

    /// The whole picture, as after a cut.
    static let everything = Newcomer(left: 0, top: 0, right: 1, bottom: 1)
}

/// The parts of a grid of cells in which something is new.
struct NewCells {
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
