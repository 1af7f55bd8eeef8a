package import Raster

/// Detects cheaply whether a picture of a video shows changes since the last hand detection. The schedulers of
/// detection (`DetectionScheduler`, `SegmentScanner`) own one each.
///
/// A palm detection costs sixty times as much as an update. Pictures are compared with the picture of the last
/// *detection* rather than with the previous picture. The movement of a hand that rises by one pixel per picture thus
/// adds up to a change.
///
/// Each cell of the picture has a background model: the usual amount of change by a talking face, a leaf in the wind or
/// camera noise. A change counts only if it exceeds that amount. A change that all cells have in common is a change of
/// light, and is subtracted.
///
/// The result depends on the pictures alone. Used by one thread at a time.
package struct SceneChangeDetector: Sendable {
    /// The change since the last detection.
    package enum Change: Sendable, Hashable {
        /// No relevant change.
        case none
        /// A change, but not more than usual at its place in the picture.
        case usual
        /// A change that is still moving.
        case moving
        /// A change that has stopped moving, such as a hand that was raised to be seen.
        case arrival
    }

    /// The difference of 8-bit codes from which a cell counts as changed. Noise and compression change the mean of a
    /// cell by one or two.
    private static let minimumDifference: Float = 6
    /// The factor by which a change must exceed the usual one.
    private static let minimumExcess: Float = 1.5
    /// The difference from the previous update below which a cell counts as still.
    private static let stillness: Float = 4
    /// The minimum number of changed cells. A hand of a tenth of the picture's height covers parts of three cells.
    private static let minimumCells = 3
    /// The mean code below which a picture counts as dark: a fifth of the range from black to white. Rooms with a lamp
    /// on are brighter.
    private static let darkness: Float = 60
    /// The rates at which the usual change of a cell rises and falls: the shares of the difference by which each
    /// detection moves it.
    private static let learning: Float = 0.5, forgetting: Float = 0.1

    private var current = CellMeans(), before = CellMeans()
    /// The picture of the last detection.
    private var reference: CellMeans?
    /// The difference of each cell of the last picture from the reference, and from the picture before.
    private var differences: [Float] = [], steps: [Float] = []
    /// The usual change of each cell between detections while there is no hand.
    private var usualChanges: [Float] = []
    /// A Boolean value that indicates a scene cut since the last detection: most of a still picture has changed at
    /// once. In this case the background model is empty, and no region is reported as changed.
    private var isCut = false
    /// The number of cells in which the last picture differs from the previous one.
    private var movingCells = 0
    /// The changed regions of the last picture, in descending order of the amount of change. The regions are those that
    /// are still now or, if there are none, the moving ones. After a cut, the only region is the whole picture.
    package private(set) var changedRegions: [ChangedRegion] = []

    package init() {}

    /// True if the last picture is dark as a whole. Dark pictures need the codec's loop filter when they are decoded.
    /// Otherwise their coding errors grow, and hands are missed.
    package private(set) var isDark = false

    /// Updates the detector with the next picture.
    package mutating func update(with picture: borrowing Picture) -> Change {
        swap(&current, &before)
        current.read(picture)
        isDark = current.luma.reduce(0, +) < Self.darkness * Float(current.luma.count)
        if usualChanges.count != current.luma.count || before.columns != current.columns { begin() }
        guard let reference else {
            changedRegions = []
            return .arrival
        }
        current.compare(with: reference, into: &differences)
        current.compare(with: before, into: &steps)
        var changed = 0, new = 0, arrived = 0
        var moving = ChangedCells(columns: current.columns, rows: current.rows), still = moving
        for row in 0..<current.rows {
            for column in 0..<current.columns {
                let cell = row * current.columns + column
                let difference = differences[cell]
                guard difference > Self.minimumDifference else { continue }
                changed += 1
                let excess = difference - Self.minimumDifference - Self.minimumExcess * usualChangeAround(column, row)
                guard excess > 0 else { continue }
                new += 1
                moving.record(column: column, row: row, excess: excess)
                guard steps[cell] < Self.stillness else { continue }
                arrived += 1
                still.record(column: column, row: row, excess: excess)
            }
        }
        let wasStill = 2 * movingCells < current.luma.count
        movingCells = steps.count { $0 >= Self.stillness }
        if wasStill, 2 * new > current.luma.count { isCut = true }
        changedRegions = isCut ? [.everything] : arrived > 0 ? still.parts(stays: true) : moving.parts(stays: false)
        if arrived >= Self.minimumCells { return .arrival }
        return new >= Self.minimumCells ? .moving : changed >= Self.minimumCells ? .usual : .none
    }

    /// Records that hand detection ran on the last picture.
    /// - Parameters:
    ///   - foundHands: Whether the detection found hands. If not, no hand caused the changes, and the background model
    ///     learns them.
    ///   - isSure: Whether all hands are certain. Otherwise a hand may be a face, so regions that move now are reported
    ///     as changed again when they stop, and are then examined.
    package mutating func recordDetection(foundHands: Bool, isSure: Bool = true) {
        if reference != nil, !foundHands, !isCut {
            for cell in usualChanges.indices {
                let excess = differences[cell] - usualChanges[cell]
                usualChanges[cell] += excess * (excess > 0 ? Self.learning : Self.forgetting)
            }
        }
        var analysed = current
        if foundHands, !isSure, let reference, !isCut {
            for cell in differences.indices
            where steps[cell] >= Self.stillness && differences[cell] > Self.minimumDifference {
                analysed.copy(cell, from: reference)
            }
        }
        reference = analysed
        isCut = false
    }

    /// Drops the pictures, but keeps the background model. The next picture counts as changed in any case.
    package mutating func discardPictures() {
        reference = nil
        isCut = false
    }

    /// Restarts with pictures of another size.
    private mutating func begin() {
        discardPictures()
        before = current
        usualChanges = [Float](repeating: 0, count: current.luma.count)
        (differences, steps) = (usualChanges, usualChanges)
    }

    /// Returns the maximum usual change of a cell and its neighbours, since a swaying head occasionally reaches a
    /// little farther.
    private func usualChangeAround(_ column: Int, _ row: Int) -> Float {
        var greatest: Float = 0
        for y in max(0, row - 1)...min(current.rows - 1, row + 1) {
            for x in max(0, column - 1)...min(current.columns - 1, column + 1) {
                greatest = max(greatest, usualChanges[y * current.columns + x])
            }
        }
        return greatest
    }
}

extension CellMeans {
    /// Computes the difference of each cell from the cell of another picture, minus the change that most cells have in
    /// common. Chroma counts twice, because skin and a wall of equal luma differ little in chroma.
    fileprivate func compare(with other: CellMeans, into differences: inout [Float]) {
        let light = Self.median(luma, other.luma)
        let (blue, red) = (Self.median(cb, other.cb), Self.median(cr, other.cr))
        for cell in differences.indices {
            let brightness = abs(luma[cell] - other.luma[cell] - light)
            let tint = max(abs(cb[cell] - other.cb[cell] - blue), abs(cr[cell] - other.cr[cell] - red))
            differences[cell] = max(brightness, 2 * tint)
        }
    }

    /// Returns the median of the differences.
    private static func median(_ values: [Float], _ others: [Float]) -> Float {
        var differences = values
        for index in differences.indices { differences[index] -= others[index] }
        differences.sort()
        return differences[differences.count / 2]
    }
}

/// The changed parts of a grid of cells.
private struct ChangedCells {
    private let columns: Int, rows: Int
    /// The amount of change of each cell. 0 for unchanged cells, and for cells that have already been assigned to a
    /// part.
    private var excess: [Float]

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        excess = [Float](repeating: 0, count: columns * rows)
    }

    mutating func record(column: Int, row: Int, excess value: Float) { excess[row * columns + column] = value }

    /// Returns the connected parts, in descending order of the amount of change. Cells that touch at a side or a corner
    /// are connected.
    /// - Parameter stays: Whether the cells are still.
    consuming func parts(stays: Bool) -> [ChangedRegion] {
        var found: [(part: ChangedRegion, weight: Float)] = []
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
            let part = ChangedRegion(
                left: Double(box.left) / Double(columns), top: Double(box.top) / Double(rows),
                right: Double(box.right) / Double(columns), bottom: Double(box.bottom) / Double(rows), stays: stays)
            found.append((part, weight))
        }
        return found.sorted { $0.weight > $1.weight }.map(\.part)
    }
}
