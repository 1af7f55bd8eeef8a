/// Draws capitals and digits made of straight strokes, for names and initials in a gallery.
enum Lettering {
    /// The strokes of each character: points on a grid of 5 columns and 7 rows, each as its column and row.
    private static let strokes: [Character: String] = [
        "A": "06 20 46,14 34", "B": "00 06 36 45 44 33 03,00 30 41 42 33", "C": "41 30 10 01 05 16 36 45",
        "D": "00 06 26 44 42 20 00", "E": "40 00 06 46,03 33", "F": "40 00 06,03 33",
        "G": "41 30 10 01 05 16 36 45 43 23", "H": "00 06,40 46,03 43", "I": "20 26", "J": "40 45 36 16 05",
        "K": "00 06,40 03 46", "L": "00 06 46", "M": "06 00 23 40 46", "N": "06 00 46 40",
        "O": "10 30 41 45 36 16 05 01 10", "P": "06 00 30 41 42 33 03", "Q": "10 30 41 45 36 16 05 01 10,34 46",
        "R": "06 00 30 41 42 33 03,23 46", "S": "41 30 10 01 02 13 33 44 45 36 16 05", "T": "00 40,20 26",
        "U": "00 05 16 36 45 40", "V": "00 26 40", "W": "00 16 23 36 40", "X": "00 46,40 06", "Y": "00 23 40,23 26",
        "Z": "00 40 06 46", "0": "10 30 41 45 36 16 05 01 10", "1": "11 20 26", "2": "01 10 30 41 42 06 46",
        "3": "00 40 23 33 44 45 36 16 05", "4": "36 30 04 44", "5": "40 00 03 33 44 45 36 16 05",
        "6": "40 10 01 05 16 36 45 44 33 03", "7": "00 40 16", "8": "13 02 01 10 30 41 42 33 13 04 05 16 36 45 44 33",
        "9": "43 13 02 01 10 30 41 45 36 16", "-": "13 33", ".": "26 26",
    ]

    /// Returns the width of a line of letters of a height.
    static func width(of text: String, height: Float) -> Float { Float(text.count * 6 - 2) * height / 6 }

    /// Draws a line of letters. Other characters leave a gap.
    ///
    /// - Parameters:
    ///   - left: the left edge, in the painter's units.
    ///   - top: the top of the capitals.
    static func draw(
        _ text: String, left: Float, top: Float, height: Float, colour: Colour, with painter: Painter
    ) {
        let cell = height / 6
        let half = height * 0.07
        for (index, character) in text.uppercased().enumerated() {
            let origin = left + Float(index) * 6 * cell
            let lines = (strokes[character] ?? "").split(separator: ",").map { line in
                line.split(separator: " ").compactMap { Int($0) }.map { point in
                    SIMD2<Float>(origin + Float(point / 10) * cell, top + Float(point % 10) * cell)
                }
            }
            guard !lines.isEmpty else { continue }
            let area = Painter.Area(
                left: origin - half, top: top - half, right: origin + 4 * cell + half, bottom: top + height + half)
            painter.fill(area) { x, y in
                let nearest = lines.flatMap { zip($0, $0.dropFirst()) }
                    .map { distance(from: [x, y], toSegment: $0, $1) }.min()
                return (colour, nearest.map { painter.cover($0 - half) } ?? 0)
            }
        }
    }

    private static func distance(from point: SIMD2<Float>, toSegment start: SIMD2<Float>, _ end: SIMD2<Float>) -> Float
    {
        let along = end - start
        let square = (along * along).sum()
        let share = square > 0 ? clamp(((point - start) * along).sum() / square, 0, 1) : 0
        let offset = point - start - along * share
        return (offset * offset).sum().squareRoot()
    }
}
