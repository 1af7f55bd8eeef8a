/// Memory for one channel of a canvas: fixed-size, zeroed, freed with its owner.
///
/// Rows are handed out as checked ranges, once a row; the kernels then run
/// without a check for each sample.
@safe
struct TilePlane: ~Copyable {
    /// Samples beyond the end that kernels may touch when they round a row up.
    static let slack = 32

    private let base: UnsafeMutablePointer<UInt16>
    let count: Int

    init(count: Int) {
        unsafe base = .allocate(capacity: count + Self.slack)
        unsafe base.initialize(repeating: 0, count: count + Self.slack)
        self.count = count
    }

    deinit { unsafe base.deallocate() }

    /// The address of `length` samples from `start` on.
    /// - Precondition: they lie within the plane or its slack.
    @inline(__always)
    @unsafe func samples(from start: Int, _ length: Int) -> UnsafeMutablePointer<UInt16> {
        precondition(start >= 0 && length >= 0 && start + length <= count + Self.slack)
        return unsafe base + start
    }

    /// The samples from `start` on, lent for reading.
    @inline(__always)
    @unsafe func buffer(from start: Int, _ length: Int) -> UnsafeBufferPointer<UInt16> {
        unsafe UnsafeBufferPointer(start: samples(from: start, length), count: length)
    }

    /// The samples from `start` on, lent for writing.
    @inline(__always)
    @unsafe func mutableBuffer(from start: Int, _ length: Int) -> UnsafeMutableBufferPointer<UInt16> {
        unsafe UnsafeMutableBufferPointer(start: samples(from: start, length), count: length)
    }

    subscript(index: Int) -> UInt16 {
        get {
            precondition(index >= 0 && index < count)
            return unsafe base[index]
        }
        nonmutating set {
            precondition(index >= 0 && index < count)
            unsafe base[index] = newValue
        }
    }

    func clear(from start: Int, _ length: Int) {
        unsafe samples(from: start, length).update(repeating: 0, count: length)
    }
}
