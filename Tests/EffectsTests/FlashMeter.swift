/// Counts general flashes by the definition of WCAG 2.3.1.
///
/// A flash is a pair of opposing changes of relative luminance by a tenth of its maximum or more,
/// the darker below 0.8. It counts where more than a quarter of a field of ten degrees, which is
/// a third of the screen's width and height, flashes. Pictures come as a grid of cells. Cells that
/// flash in the same second count together even if they do not in the same instant, which is
/// stricter than the definition.
struct FlashMeter {
    static let columns = 32
    static let rows = 18

    private let rate: Int
    /// For each picture and cell the relative luminance, 0…1.
    private var pictures: [[Double]] = []

    /// - Parameter rate: pictures a second.
    init(rate: Int) { self.rate = rate }

    mutating func add(_ cells: [Double]) {
        precondition(cells.count == Self.columns * Self.rows)
        pictures.append(cells)
    }

    /// The largest number of flashes within a second that more than a quarter of a field shows.
    func flashes() -> Int {
        let turns = (0..<Self.columns * Self.rows).map(turns(ofCell:))
        var worst = 0
        for first in stride(from: 0, to: max(1, pictures.count - rate + 1), by: max(1, rate / 10)) {
            let counts = turns.map { cell in cell.count { (first..<first + rate).contains($0) } / 2 }
            if counts.max() ?? 0 <= worst { continue }
            for field in Self.fields {
                let sorted = field.map { counts[$0] }.sorted(by: >)
                worst = max(worst, sorted[field.count / 4])
            }
        }
        return worst
    }

    /// The pictures at which a cell reverses: brighter or darker than the last extreme by a tenth.
    private func turns(ofCell cell: Int) -> [Int] {
        var turns: [Int] = []
        var (low, high) = (1.0, 0.0)
        var rising: Bool?
        for (frame, picture) in pictures.enumerated() {
            let value = picture[cell]
            low = min(low, value)
            high = max(high, value)
            let rises = rising != true && value - low >= 0.1 && low < 0.8
            let falls = rising != false && high - value >= 0.1 && value < 0.8
            guard rises || falls else { continue }
            turns.append(frame)
            rising = rises
            (low, high) = (value, value)
        }
        return turns
    }

    /// The whole picture, and windows of a third of its sides, half of which overlap.
    private static let fields: [[Int]] = {
        var fields = [Array(0..<columns * rows)]
        let (width, height) = (columns / 3, rows / 3)
        for top in stride(from: 0, through: rows - height, by: height / 2) {
            for left in stride(from: 0, through: columns - width, by: width / 2) {
                fields.append((top..<top + height).flatMap { y in (left..<left + width).map { y * columns + $0 } })
            }
        }
        return fields
    }()
}
