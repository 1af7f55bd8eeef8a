/// The pixels of each of some rows that a shape covers.
struct TileColumns {
    private let top: Int
    private var firsts = InlineArray<16, Int32>(repeating: 0)
    private var ends = InlineArray<16, Int32>(repeating: 0)

    /// - Parameter top: the first row.
    init(top: Int) {
        self.top = top
    }

    /// Has `body` fill in the first column of each row, and the one after its last.
    /// - Parameter count: of the rows; `body` is told how many fours of rows to fill.
    @inline(__always)
    mutating func fill(
        _ count: Int, _ body: (_ first: UnsafeMutablePointer<Int32>, _ end: UnsafeMutablePointer<Int32>, Int) -> Void
    ) {
        precondition(count <= firsts.count)
        var firstSpan = firsts.mutableSpan, endSpan = ends.mutableSpan
        unsafe firstSpan.withUnsafeMutableBufferPointer { first in
            unsafe endSpan.withUnsafeMutableBufferPointer { end in
                guard let first = first.baseAddress, let end = end.baseAddress else { return }
                unsafe body(first, end, (count + 3) / 4)
            }
        }
    }

    /// The pixels of row `y`.
    @inline(__always)
    subscript(y: Int) -> Range<Int> { Int(firsts[y - top])..<Int(ends[y - top]) }

    /// The pixels of row `y` and of the one below it, from the first to the last.
    @inline(__always)
    func union(of y: Int) -> Range<Int> {
        let (a, b) = (self[y], self[y + 1])
        if a.isEmpty { return b }
        if b.isEmpty { return a }
        return min(a.lowerBound, b.lowerBound)..<max(a.upperBound, b.upperBound)
    }
}
