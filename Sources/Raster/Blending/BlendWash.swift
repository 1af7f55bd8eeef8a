internal import CRaster

/// A veil over the whole picture: it pulls every pixel toward one colour, by an
/// amount that varies smoothly (a dimmed room, a vignette, fog).
///
/// The amount is given at the corners of a coarse grid and is linear between.
package struct BlendWash: Sendable {
    /// Pixels between the grid's corners.
    package static let cellWidth = 64
    package static let cellHeight = 32

    package let width: Int
    package let height: Int
    private let columns: Int
    /// What passes through at each corner: 2¹⁴ for everything.
    private let through: [Int32]
    private let red, green, blue: Double

    /// - Parameters:
    ///   - red, green, blue: the veil's colour, 0…1.
    ///   - amount: how much of the picture the veil hides, 0…1, at a stored pixel position.
    package init(
        width: Int, height: Int, red: Double, green: Double, blue: Double,
        amount: (_ x: Double, _ y: Double) -> Double
    ) {
        self.width = width
        self.height = height
        self.red = red
        self.green = green
        self.blue = blue
        columns = (width + Self.cellWidth - 1) / Self.cellWidth + 1
        let rows = (height + Self.cellHeight - 1) / Self.cellHeight + 1
        var through: [Int32] = []
        through.reserveCapacity(columns * rows)
        for row in 0..<rows {
            for column in 0..<columns {
                let a = amount(Double(column * Self.cellWidth), Double(row * Self.cellHeight))
                through.append(Int32(((1 - min(max(a, 0), 1)) * 16384).rounded()))
            }
        }
        self.through = through
    }

    /// What passes at each pixel of a row, 0…2¹⁴.
    func fillPass(_ pass: inout [UInt16], y: Int) {
        let row = y / Self.cellHeight
        let down = Int32(y % Self.cellHeight)
        let cells = Int32(Self.cellHeight)
        var left = through[row * columns] * (cells - down) + through[(row + 1) * columns] * down
        var span = pass.mutableSpan
        for column in 1..<columns {
            let right =
                through[row * columns + column] * (cells - down)
                + through[(row + 1) * columns + column] * down
            // left and right carry 5 more bits, which single precision holds exactly.
            let start = Float(left) / Float(Self.cellHeight)
            let step = Float(right - left) / Float(Self.cellHeight * Self.cellWidth)
            let first = (column - 1) * Self.cellWidth
            var cell = span._mutatingExtracting(first..<first + Self.cellWidth)
            unsafe cell.withUnsafeMutableBufferPointer { unsafe craster_ramp($0.baseAddress, $0.count, start, step) }
            left = right
        }
    }

    /// The code values of its colour in a format.
    func tint(_ format: PictureFormat) -> (luma: Double, cb: Double, cr: Double) {
        let colour = ColourEncoding(format).encode(red: red, green: green, blue: blue)
        return BlendCoefficients(format).codes(red: colour.red, green: colour.green, blue: colour.blue)
    }
}
