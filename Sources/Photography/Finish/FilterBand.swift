/// Eight rows of a plane that a filter works on, as they were and as they become: rows of a number that differs by eight
/// share a place.
@safe
final class FilterBand {
    private static let rows = 8
    private let width, margin: Int
    private let sources, sums: UnsafeMutablePointer<Float>

    /// - Parameters:
    ///   - width: Samples of a row, with the margin on both sides.
    ///   - margin: How many rows and samples lie before the plane's first.
    init(width: Int, margin: Int) {
        (self.width, self.margin) = (width, margin)
        unsafe sources = .allocate(capacity: width * Self.rows)
        unsafe sums = .allocate(capacity: width * Self.rows)
        unsafe sources.initialize(repeating: 0, count: width * Self.rows)
        unsafe sums.initialize(repeating: 0, count: width * Self.rows)
    }

    deinit {
        unsafe sources.deallocate()
        unsafe sums.deallocate()
    }

    /// A row as it was.
    @inline(__always)
    @unsafe func source(_ line: Int) -> UnsafeMutablePointer<Float> { unsafe sources + (line & 7) * width }

    /// What was added up for a row.
    @inline(__always)
    @unsafe func sum(_ line: Int) -> UnsafeMutablePointer<Float> { unsafe sums + (line & 7) * width }

    /// Takes a row, counted from the margin's first, and forgets the one in its place.
    func read(_ line: Int, of plane: SamplePlane) {
        let row = unsafe UnsafePointer(plane.address(-margin, line - margin))
        let target = unsafe source(line)
        let available = min(width, plane.stride - (SamplePlane.margin - margin))
        for x in 0..<available { unsafe target[x] = Float(row[x]) }
        for x in available..<width { unsafe target[x] = target[available - 1] }
        unsafe sum(line).update(repeating: 0, count: width)
    }

    /// Gives the plane a row of sums, unless it belongs to the margin.
    func write(_ line: Int, to plane: SamplePlane, scale: Float) {
        guard line >= margin, line - margin < plane.height else { return }
        let row = unsafe plane.address(0, line - margin)
        let values = unsafe UnsafePointer(sum(line) + margin)
        for x in 0..<plane.width { unsafe row[x] = FixedSample.rounded(values[x] * scale) }
    }
}
