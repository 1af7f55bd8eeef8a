/// Lays veils over bands of a picture.
struct WashRows {
    /// What passes if nobody is there, and what passes indeed, 0…2¹⁴.
    private var veil, pass: [UInt16]
    /// The same at half the width.
    private var half: [UInt16]
    /// The stretches of a row that are veiled at all.
    private var veiled: [Range<Int>] = []

    init(width: Int) {
        let padded = (width + BlendWash.cellWidth - 1) / BlendWash.cellWidth * BlendWash.cellWidth
        veil = [UInt16](repeating: 0, count: padded)
        pass = veil
        half = [UInt16](repeating: 0, count: padded / 2)
    }

    /// Lays a veil over rows of a picture.
    /// - Parameter people: where people are whom it spares, in these rows.
    /// - Precondition: the first row is even, and the picture has the veil's size.
    mutating func lay(
        _ wash: BlendWash, on picture: inout MutablePicture, _ rows: Range<Int>, sparing people: TilePeople?
    ) {
        let format = picture.format
        precondition(format.width == wash.width && format.height == wash.height)
        let tint = wash.tint(format)
        let (shiftX, shiftY) = (format.chroma.shiftX, format.chroma.shiftY)
        // What passes changes so slowly that four rows share it, and two share people's edges.
        for top in stride(from: rows.lowerBound, to: rows.upperBound, by: 2) {
            if (top - rows.lowerBound) % 4 == 0 {
                wash.fillPass(&veil, y: top)
                if people == nil { spareNobody(width: format.width) }
            }
            if let people { spare(people, y: top - rows.lowerBound, width: format.width) }
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

    /// Finds what passes in the band's row `y`: everything where people are.
    private mutating func spare(_ people: TilePeople, y: Int, width: Int) {
        veiled.removeAll(keepingCapacity: true)
        people.forEachStretch(inRow: y, of: 0..<width) { kind, pixels in
            if kind == .person || kind == .rim { return }
            Self.copy(veil, pixels, into: &pass)
            if kind == .edge { unsafe Self.open(&pass, pixels, people.room(inRow: y, pixels).span) }
            if let last = veiled.last, last.upperBound == pixels.lowerBound {
                veiled[veiled.count - 1] = last.lowerBound..<pixels.upperBound
            } else {
                veiled.append(pixels)
            }
        }
    }

    private mutating func spareNobody(width: Int) {
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

    /// Lessens the veil to the room's share.
    private static func open(_ pass: inout [UInt16], _ pixels: Range<Int>, _ room: Span<UInt16>) {
        var pass = pass.mutableSpan
        var part = pass._mutatingExtracting(pixels)
        precondition(room.count == part.count)
        for x in 0..<part.count { part[x] = 16384 &- TileRows.high(16384 &- part[x], room[x]) }
    }

    /// Pulls samples of a row of one plane toward a code value.
    private static func pull(
        _ picture: inout MutablePicture, _ plane: Plane, row y: Int, _ columns: Range<Int>,
        toward code: Double, _ pass: [UInt16]
    ) {
        let pass = pass.span.extracting(columns)
        if picture.format.bitDepth == 8 {
            picture.with8BitPlane(plane) { samples, stride in
                var row = samples._mutatingExtracting(
                    y * stride + columns.lowerBound..<y * stride + columns.upperBound)
                pull(&row, toward: Int16((code * 128).rounded()), pass)
            }
        } else {
            picture.with16BitPlane(plane) { samples, stride in
                var row = samples._mutatingExtracting(
                    y * stride + columns.lowerBound..<y * stride + columns.upperBound)
                pull(&row, toward: Float(code), pass)
            }
        }
    }

    private static func halve(_ pass: [UInt16], into half: inout [UInt16]) {
        let from = pass.span
        var out = half.mutableSpan
        precondition(from.count >= 2 * out.count)
        for i in 0..<out.count { out[i] = unsafe from[unchecked: 2 &* i] }
    }

    /// The code has 7 more bits; of the difference to it 5 are left.
    private static func pull(_ row: inout MutableSpan<UInt8>, toward code: Int16, _ pass: Span<UInt16>) {
        let n = row.count
        precondition(pass.count == n)
        let base = code &>> 2 &+ 16
        for i in 0..<n {
            let difference = Int16(row[i]) &<< 7 &- code
            let kept = Int16(
                truncatingIfNeeded: (Int32(difference) &* Int32(Int16(truncatingIfNeeded: pass[i]))) &>> 16)
            row[i] = UInt8(truncatingIfNeeded: (kept &+ base) &>> 5)
        }
    }

    private static func pull(_ row: inout MutableSpan<UInt16>, toward code: Float, _ pass: Span<UInt16>) {
        let n = row.count
        precondition(pass.count == n)
        for i in 0..<n {
            let p = Float(pass[i]) * (1 / 16384)
            row[i] = UInt16(truncatingIfNeeded: (Float(row[i]) * p + code * (1 - p) + 8_388_608).bitPattern)
        }
    }
}
