internal import CRaster

/// A veil over the whole picture, which shifts every pixel toward one colour, by an amount that varies smoothly (a
/// dimmed room, a vignette, fog). `ParticleRenderer` of Effects makes it for each frame of an effect that dims the
/// room.
///
/// The amount is given at the corners of a coarse grid, and is interpolated linearly between them.
package struct BlendWash: Sendable {
    /// The number of pixels between the grid's corners.
    package static let cellWidth = 64
    package static let cellHeight = 32

    package let width: Int
    package let height: Int
    /// The share of the veil that applies to people: 0 leaves people unchanged, 1 veils them like the room.
    let onPeople: Double
    private let columns: Int
    /// The transmittance at each corner; 2¹⁴ transmits everything.
    private let through: [Int32]
    private let red, green, blue: Double

    /// - Parameters:
    ///   - red, green, blue: The veil's colour, 0…1.
    ///   - onPeople: The share of the veil that applies to people, 0…1.
    ///   - amount: Returns the share of the picture that the veil hides, 0…1, at a stored pixel position.
    package init(
        width: Int, height: Int, red: Double, green: Double, blue: Double, onPeople: Double,
        amount: (_ x: Double, _ y: Double) -> Double
    ) {
        self.width = width
        self.height = height
        self.red = red
        self.green = green
        self.blue = blue
        self.onPeople = min(max(onPeople, 0), 1)
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

    /// Fills in the transmittance at each pixel of a row, 0…2¹⁴.
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
            // `left` and `right` have 5 more bits, which single precision represents exactly.
            let start = Float(left) / Float(Self.cellHeight)
            let step = Float(right - left) / Float(Self.cellHeight * Self.cellWidth)
            let first = (column - 1) * Self.cellWidth
            var cell = span._mutatingExtracting(first..<first + Self.cellWidth)
            unsafe cell.withUnsafeMutableBufferPointer { unsafe craster_ramp($0.baseAddress, $0.count, start, step) }
            left = right
        }
    }

    /// Returns the code values of the veil's colour in a format.
    func tint(_ format: PictureFormat) -> (luma: Double, cb: Double, cr: Double) {
        let colour = ColourEncoding(format).encode(red: red, green: green, blue: blue)
        return BlendCoefficients(format).codes(red: colour.red, green: colour.green, blue: colour.blue)
    }
}

/// Draws veils (``BlendWash``) on bands of a picture. Each ``BandBrush`` owns one for its thread.
struct WashRows {
    /// The transmittance of a row of pixels, 0…2¹⁴: of the veil itself, and after the reduction on people.
    private var veil, pass: [UInt16]
    /// The effective transmittance at half the width.
    private var half: [UInt16]
    /// The ranges of a row that have any veil.
    private var veiled: [Range<Int>] = []

    init(width: Int) {
        let padded = (width + BlendWash.cellWidth - 1) / BlendWash.cellWidth * BlendWash.cellWidth
        veil = [UInt16](repeating: 0, count: padded)
        pass = veil
        half = [UInt16](repeating: 0, count: padded / 2)
    }

    /// Draws a veil on rows of a picture.
    /// - Parameter people: The people in these rows to whom the veil does not fully apply; `nil` if there are none.
    /// - Precondition: The first row is even, and the picture has the veil's size.
    mutating func lay(
        _ wash: BlendWash, on picture: inout MutablePicture, _ rows: Range<Int>, sparing people: BandPeople?
    ) {
        let share = UInt16((wash.onPeople * 65535).rounded())
        let format = picture.format
        precondition(format.width == wash.width && format.height == wash.height)
        let tint = wash.tint(format)
        let (shiftX, shiftY) = (format.chroma.shiftX, format.chroma.shiftY)
        // The transmittance changes so slowly that it is computed for every fourth row only. People's edges are
        // computed for every second row.
        for top in stride(from: rows.lowerBound, to: rows.upperBound, by: 2) {
            if (top - rows.lowerBound) % 4 == 0 {
                wash.fillPass(&veil, y: top)
                if people == nil { washEveryone(width: format.width) }
            }
            if let people { spare(people, share, y: top - rows.lowerBound, width: format.width) }
            if shiftX == 1 { Self.halve(pass, into: &half) }
            let pair = top..<min(top + 2, rows.upperBound)
            for part in veiled {
                for y in pair { Self.pull(&picture, .luma, row: y, part, toward: tint.luma, pass) }
                let columns = (part.lowerBound + shiftX) >> shiftX..<(part.upperBound + shiftX) >> shiftX
                for y in pair.lowerBound >> shiftY...(pair.upperBound - 1) >> shiftY {
                    Self.pull(&picture, .cb, row: y, columns, toward: tint.cb, shiftX == 1 ? half : pass)
                    Self.pull(&picture, .cr, row: y, columns, toward: tint.cr, shiftX == 1 ? half : pass)
                }
            }
        }
    }

    /// Computes the transmittance of the band's row `y`, with a share of the veil on people.
    private mutating func spare(_ people: BandPeople, _ share: UInt16, y: Int, width: Int) {
        veiled.removeAll(keepingCapacity: true)
        people.forEachInterval(inRow: y, of: 0..<width) { kind, pixels in
            switch kind {
            case .room: Self.copy(veil, pixels, into: &pass)
            case .edge: unsafe Self.lift(veil, pixels, share, people.room(inRow: y, pixels), into: &pass)
            case .person, .rim:
                if share == 0 { return }
                Self.lift(veil, pixels, share, into: &pass)
            }
            if let last = veiled.last, last.upperBound == pixels.lowerBound {
                veiled[veiled.count - 1] = last.lowerBound..<pixels.upperBound
            } else {
                veiled.append(pixels)
            }
        }
    }

    private mutating func washEveryone(width: Int) {
        veiled.removeAll(keepingCapacity: true)
        veiled.append(0..<width)
        swap(&veil, &pass)
    }

    private static func copy(_ veil: [UInt16], _ pixels: Range<Int>, into pass: inout [UInt16]) {
        let veil = veil.span.extracting(pixels)
        var pass = pass.mutableSpan
        var part = pass._mutatingExtracting(pixels)
        for x in 0..<part.count { part[x] = veil[x] }
    }

    /// Reduces the veil to the share that applies to people.
    private static func lift(_ veil: [UInt16], _ pixels: Range<Int>, _ share: UInt16, into pass: inout [UInt16]) {
        let veil = veil.span.extracting(pixels)
        var pass = pass.mutableSpan
        var part = pass._mutatingExtracting(pixels)
        unsafe veil.withUnsafeBufferPointer { veil in
            unsafe part.withUnsafeMutableBufferPointer {
                unsafe craster_lift($0.baseAddress, veil.baseAddress, $0.count, share)
            }
        }
    }

    /// Reduces the veil at people's edges: it applies fully to the room's part of a pixel, and by its share to the
    /// person's part.
    private static func lift(
        _ veil: [UInt16], _ pixels: Range<Int>, _ share: UInt16, _ room: UnsafeBufferPointer<UInt16>,
        into pass: inout [UInt16]
    ) {
        let veil = veil.span.extracting(pixels)
        var pass = pass.mutableSpan
        var part = pass._mutatingExtracting(pixels)
        precondition(room.count == part.count)
        unsafe veil.withUnsafeBufferPointer { veil in
            unsafe part.withUnsafeMutableBufferPointer {
                unsafe craster_lift_edge($0.baseAddress, veil.baseAddress, room.baseAddress, $0.count, share)
            }
        }
    }

    /// Moves samples of a row of one plane toward a code value.
    private static func pull(
        _ picture: inout MutablePicture, _ plane: Plane, row y: Int, _ columns: Range<Int>,
        toward code: Double, _ pass: [UInt16]
    ) {
        let pass = pass.span.extracting(columns)
        unsafe pass.withUnsafeBufferPointer {
            unsafe craster_pull(
                picture.samples(plane, y, columns), $0.baseAddress, $0.count, code, picture.format.bitDepth > 8)
        }
    }

    private static func halve(_ pass: [UInt16], into half: inout [UInt16]) {
        precondition(pass.count >= 2 * half.count)
        let from = pass.span
        var out = half.mutableSpan
        unsafe from.withUnsafeBufferPointer { from in
            unsafe out.withUnsafeMutableBufferPointer {
                unsafe craster_every_second($0.baseAddress, from.baseAddress, $0.count)
            }
        }
    }
}
