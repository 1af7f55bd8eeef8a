/// Where people are in a band: worked out once, for all that is drawn on it.
final class TilePeople {
    private typealias Stretch = (kind: TileMask.Kind, pixels: Range<Int>)

    private var stretches: [Stretch] = []
    /// Where the stretches of each row of the band begin, and where they end.
    private var starts: [Int] = []
    /// The room's share at the pixels of edges, 0…65535.
    private let room: TilePlane
    private let stride: Int
    /// How many rows share one row's stretches and shares.
    private var sharedRows = 1

    init(stride: Int) {
        self.stride = stride
        room = TilePlane(count: stride * TileGrid.tileHeight)
    }

    /// Looks at rows of a picture: the band's.
    func find(in mask: TileMask, _ rows: Range<Int>) {
        var stretches: [Stretch] = [], starts: [Int] = []
        swap(&stretches, &self.stretches)
        swap(&starts, &self.starts)
        stretches.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        sharedRows = mask.sharedRows
        for y in Swift.stride(from: rows.lowerBound, to: rows.upperBound, by: sharedRows) {
            starts.append(stretches.count)
            var row = unsafe room.mutableBuffer(from: (y - rows.lowerBound) * stride, mask.storedWidth).mutableSpan
            mask.forEachStretch(inRow: y, of: 0..<mask.storedWidth) { kind, pixels in
                stretches.append((kind, pixels))
                if kind == .edge { mask.fillRoom(&row, y: y, pixels: pixels) }
            }
        }
        starts.append(stretches.count)
        swap(&stretches, &self.stretches)
        swap(&starts, &self.starts)
    }

    /// The row of the band that says for row `y` where people are.
    func row(for y: Int) -> Int { sharedRows == 2 ? y & ~1 : y }

    /// Calls `body` for the stretches of the band's row `y` from left to right.
    @inline(__always)
    func forEachStretch(
        inRow y: Int, of pixels: Range<Int>, _ body: (_ kind: TileMask.Kind, _ pixels: Range<Int>) -> Void
    ) {
        let index = y / sharedRows
        let (stretches, range) = (self.stretches, starts[index]..<starts[index + 1])
        for index in range {
            let stretch = stretches[index]
            let part = stretch.pixels.clamped(to: pixels)
            if !part.isEmpty { body(stretch.kind, part) }
        }
    }

    /// Lends the room's shares of the band's row `y`; only those of edges are filled in.
    func room(inRow y: Int, _ pixels: Range<Int>) -> UnsafeBufferPointer<UInt16> {
        unsafe room.buffer(from: row(for: y) * stride + pixels.lowerBound, pixels.count)
    }

    /// Copies the room's shares of the band's row `y` at every pixel, or every second one (`shift` 1).
    func fill(_ target: borrowing TilePlane, inRow y: Int, from pixel: Int, shift: Int, _ count: Int) {
        TileRows.every(room, row(for: y) * stride + pixel, shift, into: target, count)
    }
}
