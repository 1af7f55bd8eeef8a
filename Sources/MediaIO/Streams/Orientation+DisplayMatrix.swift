internal import CFFmpeg
internal import Raster

extension Orientation {
    /// The nearest whole turn to a display matrix: nine 16.16 (or, in the last
    /// column, 2.30) fixed-point numbers, row by row, that carry stored
    /// positions to shown ones (ISO/IEC 14496-12, 6.2.2).
    init(displayMatrix m: Span<Int32>) {
        precondition(m.count == 9)
        let a = Double(m[0]), b = Double(m[1]), c = Double(m[3]), d = Double(m[4])
        let mirrored = a * d - b * c < 0
        // The second row is untouched by mirroring left to right, so it alone tells the turn.
        let turns: Int
        if abs(c) > abs(d) {
            turns = c < 0 ? 1 : 3
        } else {
            turns = d < 0 ? 2 : 0
        }
        self.init(quarterTurns: turns, mirrored: mirrored)
    }

    /// The orientation in side data of the kind "display matrix", if it is there and whole.
    @unsafe
    init?(displayMatrixBytes bytes: UnsafePointer<UInt8>?, count: Int) {
        guard let bytes = unsafe bytes, count >= 36 else { return nil }
        var matrix: InlineArray<9, Int32> = .init(repeating: 0)
        for i in 0..<9 {
            matrix[i] = unsafe UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: i * 4, as: Int32.self)
        }
        self.init(displayMatrix: matrix.span)
    }

    /// The orientation that the file gives for a whole stream.
    @unsafe
    init?(of stream: UnsafePointer<AVStream>) {
        var size = 0
        let bytes = unsafe cffmpeg_stream_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size)
        unsafe self.init(displayMatrixBytes: bytes, count: size)
    }

    /// The display matrix for pictures of a size: nine numbers, row by row, as the machine stores them.
    func displayMatrix(width: Int, height: Int) -> [Int32] {
        let m = DisplayGeometry(storedWidth: width, storedHeight: height, orientation: self).uprightToStored.inverse
        func fixed(_ value: Double) -> Int32 { Int32((value * 65536).rounded()) }
        return [fixed(m.a), fixed(m.b), 0, fixed(m.c), fixed(m.d), 0, fixed(m.tx), fixed(m.ty), 1 << 30]
    }
}
