/// Counts flashes by the definition of WCAG 2.3.1.
///
/// A general flash is a pair of opposing changes of relative luminance by a tenth of its maximum or more, the darker
/// below 0.8. A red flash is a pair of opposing changes of (R − G − B) × 320, at least 0, by more than 20, of which one
/// is to or from saturated red: R is four fifths of the light, or more. Flashes count where more than a quarter of a
/// field of ten degrees, which is a third of the screen's width and height, flashes. Pictures come as a grid of cells.
/// Cells that flash in the same second count together even if they do not in the same instant, which is stricter than
/// the definition.
package struct FlashMeter {
    package static let columns = 32
    package static let rows = 18

    /// Linear light, 0…1.
    package struct Light: Sendable {
        package var red, green, blue: Double

        package init(red: Double, green: Double, blue: Double) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }

        package static let black = Light(red: 0, green: 0, blue: 0)
        package static let white = Light(red: 1, green: 1, blue: 1)
        package static let red = Light(red: 1, green: 0, blue: 0)

        fileprivate var luminance: Double { 0.2126 * red + 0.7152 * green + 0.0722 * blue }
        fileprivate var redness: Double { max(0, (red - green - blue) * 320) }
        fileprivate var isSaturatedRed: Bool { red > 0 && red / (red + green + blue) >= 0.8 }
    }

    private let rate: Int
    private var pictures: [[Light]] = []

    /// - Parameter rate: pictures a second.
    package init(rate: Int) { self.rate = rate }

    package mutating func add(_ cells: [Light]) {
        precondition(cells.count == Self.columns * Self.rows)
        pictures.append(cells)
    }

    /// The largest number of general flashes within a second that more than a quarter of a field shows.
    package func flashes() -> Int { worst(generalTurns(ofCell:)) }

    /// The same number of red flashes.
    package func redFlashes() -> Int { worst(redTurns(ofCell:)) }

    private func worst(_ turns: (Int) -> [Int]) -> Int {
        let turns = (0..<Self.columns * Self.rows).map(turns)
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
    private func generalTurns(ofCell cell: Int) -> [Int] {
        var turns: [Int] = []
        var (low, high) = (1.0, 0.0)
        var rising: Bool?
        for (frame, picture) in pictures.enumerated() {
            let value = picture[cell].luminance
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

    /// The pictures at which a cell's redness reverses to or from saturated red.
    private func redTurns(ofCell cell: Int) -> [Int] {
        guard var low = pictures.first?[cell] else { return [] }
        var (high, turns) = (low, [Int]())
        var rising: Bool?
        for (frame, picture) in pictures.enumerated() {
            let light = picture[cell]
            if light.redness < low.redness { low = light }
            if light.redness > high.redness { high = light }
            let rises =
                rising != true && light.redness - low.redness > 20 && (light.isSaturatedRed || low.isSaturatedRed)
            let falls =
                rising != false && high.redness - light.redness > 20 && (light.isSaturatedRed || high.isSaturatedRed)
            guard rises || falls else { continue }
            turns.append(frame)
            rising = rises
            (low, high) = (light, light)
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
