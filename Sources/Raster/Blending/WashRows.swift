internal import CRaster

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
    /// - Parameters:
    ///   - people: where people are whom it spares, in these rows; `nil` where it spares nobody.
    ///   - share: how much of it lies on them all the same, 0…1.
    /// - Precondition: the first row is even, and the picture has the veil's size.
    mutating func lay(
        _ wash: BlendWash, on picture: inout MutablePicture, _ rows: Range<Int>, sparing people: TilePeople?,
        onPeople share: Double
    ) {
        let share = UInt16((min(max(share, 0), 1) * 65535).rounded())
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

    /// Finds what passes in the band's row `y`: where people are, only a share of the veil lies.
    private mutating func spare(_ people: TilePeople, _ share: UInt16, y: Int, width: Int) {
        veiled.removeAll(keepingCapacity: true)
        people.forEachStretch(inRow: y, of: 0..<width) { kind, pixels in
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

    /// Lessens the veil to a share.
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

    /// Lessens the veil to the room's part and a share of the people's.
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
                unsafe pass.withUnsafeBufferPointer { pass in
                    unsafe row.withUnsafeMutableBufferPointer {
                        unsafe craster_pull8($0.baseAddress, pass.baseAddress, $0.count, Int16((code * 128).rounded()))
                    }
                }
            }
        } else {
            picture.with16BitPlane(plane) { samples, stride in
                var row = samples._mutatingExtracting(
                    y * stride + columns.lowerBound..<y * stride + columns.upperBound)
                unsafe pass.withUnsafeBufferPointer { pass in
                    unsafe row.withUnsafeMutableBufferPointer {
                        unsafe craster_pull16($0.baseAddress, pass.baseAddress, $0.count, Float(code))
                    }
                }
            }
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
