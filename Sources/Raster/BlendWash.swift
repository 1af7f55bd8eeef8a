/// A veil over the whole picture: it pulls every pixel toward one colour, by an
/// amount that varies smoothly (a dimmed room, a vignette, fog).
///
/// The amount is given at the corners of a coarse grid and is linear between.
package struct BlendWash: Sendable {
    /// Pixels between the grid's corners.
    package static let cellWidth = 64
    package static let cellHeight = 16

    package let width: Int
    package let height: Int
    private let columns: Int
    /// What passes through at each corner: 2¹⁵ for everything.
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
                through.append(Int32(((1 - min(max(a, 0), 1)) * 32768).rounded()))
            }
        }
        self.through = through
    }

    /// Lays the veil over a picture; people in the mask are spared.
    /// - Precondition: the picture and the mask have the size given at the start.
    package func blend(into picture: inout MutablePicture, sparing mask: TileMask? = nil) {
        let format = picture.format
        precondition(format.width == width && format.height == height)
        let colour = ColourEncoding(format).encode(red: red, green: green, blue: blue)
        let tint = BlendCoefficients(format).codes(
            red: colour.red, green: colour.green, blue: colour.blue)
        let padded = (columns - 1) * Self.cellWidth
        var veil = [UInt16](repeating: 0, count: padded)
        var half = [UInt16](repeating: 0, count: padded / 2)
        var sparing = mask.map { Sparing($0, padded: padded) }
        for y in 0..<height {
            // What passes changes so slowly that two rows share it.
            if y & 1 == 0 { fillPass(&veil, y: y) }
            sparing?.spare(veil, y: y)
            let pass = sparing?.pass ?? veil
            for veiled in sparing?.veiled ?? [0..<width] {
                pull(&picture, .luma, row: y, veiled, toward: tint.luma, pass)
            }
            let isLast = y & 1 == 1 || y == height - 1
            if format.chroma.shiftY == 0 || isLast {
                let row = y >> format.chroma.shiftY
                let columns = 0..<format.width(of: .cb)
                if format.chroma.shiftX == 1 {
                    Self.halve(pass, into: &half)
                    pull(&picture, .cb, row: row, columns, toward: tint.cb, half)
                    pull(&picture, .cr, row: row, columns, toward: tint.cr, half)
                } else {
                    pull(&picture, .cb, row: row, columns, toward: tint.cb, pass)
                    pull(&picture, .cr, row: row, columns, toward: tint.cr, pass)
                }
            }
        }
    }

    /// Lets people through undimmed.
    private struct Sparing {
        let mask: TileMask
        /// What passes in a row.
        private(set) var pass: [UInt16]
        /// The stretches of the row that are veiled at all.
        private(set) var veiled: [Range<Int>] = []
        private var room: [UInt16]

        init(_ mask: TileMask, padded: Int) {
            self.mask = mask
            pass = [UInt16](repeating: 0, count: padded)
            room = pass
        }

        /// - Parameter veil: what would pass if nobody were there.
        mutating func spare(_ veil: [UInt16], y: Int) {
            veiled.removeAll(keepingCapacity: true)
            Self.copy(veil, into: &pass)
            mask.forEachStretch(inRow: y, of: 0..<mask.storedWidth) { kind, pixels in
                if kind == .person || kind == .rim { return Self.open(&pass, pixels) }
                if kind == .edge {
                    mask.fillRoom(&room, y: y, pixels: pixels)
                    Self.lessen(&pass, room, pixels)
                }
                if let last = veiled.last, last.upperBound == pixels.lowerBound {
                    veiled[veiled.count - 1] = last.lowerBound..<pixels.upperBound
                } else {
                    veiled.append(pixels)
                }
            }
        }

        private static func copy(_ veil: [UInt16], into pass: inout [UInt16]) {
            let veil = veil.span
            var pass = pass.mutableSpan
            for x in 0..<pass.count { pass[x] = veil[x] }
        }

        private static func open(_ pass: inout [UInt16], _ pixels: Range<Int>) {
            var pass = pass.mutableSpan
            var part = pass._mutatingExtracting(pixels)
            for x in 0..<part.count { part[x] = 32768 }
        }

        private static func lessen(_ pass: inout [UInt16], _ room: [UInt16], _ pixels: Range<Int>) {
            let room = room.span.extracting(pixels)
            var pass = pass.mutableSpan
            var part = pass._mutatingExtracting(pixels)
            for x in 0..<part.count { part[x] = 32768 &- TileRows.high(32768 &- part[x], room[x]) }
        }
    }

    /// Pulls samples of a row of one plane toward a code value.
    private func pull(
        _ picture: inout MutablePicture, _ plane: Plane, row y: Int, _ columns: Range<Int>,
        toward code: Double, _ pass: [UInt16]
    ) {
        if picture.format.bitDepth == 8 {
            picture.with8BitPlane(plane) { samples, stride in
                var row = samples._mutatingExtracting(
                    y * stride + columns.lowerBound..<y * stride + columns.upperBound)
                Self.pull(&row, toward: UInt16((code * 256).rounded()), pass.span.extracting(columns))
            }
        } else {
            picture.with16BitPlane(plane) { samples, stride in
                var row = samples._mutatingExtracting(
                    y * stride + columns.lowerBound..<y * stride + columns.upperBound)
                Self.pull(&row, toward: Float(code), pass.span.extracting(columns))
            }
        }
    }

    /// What passes at each pixel of a row, 0…2¹⁵.
    private func fillPass(_ pass: inout [UInt16], y: Int) {
        let row = y / Self.cellHeight
        let down = Int32(y % Self.cellHeight)
        let cells = Int32(Self.cellHeight)
        var left = through[row * columns] * (cells - down) + through[(row + 1) * columns] * down
        var span = pass.mutableSpan
        for column in 1..<columns {
            let right = through[row * columns + column] * (cells - down)
                + through[(row + 1) * columns + column] * down
            // left and right carry 4 more bits. Single precision holds them exactly, and it
            // vectorises where 32-bit multiplication does not.
            let start = Float(left) / 16
            let step = Float(right - left) / Float(16 * Self.cellWidth)
            let first = (column - 1) * Self.cellWidth
            var cell = span._mutatingExtracting(first..<first + Self.cellWidth)
            for i in 0..<Self.cellWidth {
                let value = start + step * Float(Int32(truncatingIfNeeded: i))
                cell[i] = UInt16(truncatingIfNeeded: (value + 8_388_608).bitPattern)
            }
            left = right
        }
    }

    private static func halve(_ pass: [UInt16], into half: inout [UInt16]) {
        let from = pass.span
        var out = half.mutableSpan
        precondition(from.count >= 2 * out.count)
        for i in 0..<out.count { out[i] = unsafe from[unchecked: 2 &* i] }
    }

    private static func pull(
        _ row: inout MutableSpan<UInt8>, toward code: UInt16, _ pass: Span<UInt16>
    ) {
        let n = row.count
        precondition(pass.count == n)
        for i in 0..<n {
            let kept = TileRows.high(UInt16(row[i]) &<< 8, pass[i])
            let veil = TileRows.high(code, 32768 &- pass[i])
            row[i] = UInt8(truncatingIfNeeded: (kept &+ veil &+ 64) &>> 7)
        }
    }

    private static func pull(_ row: inout MutableSpan<UInt16>, toward code: Float, _ pass: Span<UInt16>) {
        let n = row.count
        precondition(pass.count == n)
        for i in 0..<n {
            let p = Float(pass[i]) * (1 / 32768)
            row[i] = UInt16(truncatingIfNeeded: (Float(row[i]) * p + code * (1 - p) + 8_388_608).bitPattern)
        }
    }
}
