/// The memory of floats for the kernels of video effects: a value for each cell of a ``PictureGrid``, or scratch memory.
/// It has a fixed size, and is used by one thread at a time.
@safe
struct GridPlane: ~Copyable {
    private let base: UnsafeMutablePointer<Float>
    let count: Int

    init(count: Int) {
        unsafe base = .allocate(capacity: max(count, 1))
        unsafe base.initialize(repeating: 0, count: count)
        self.count = count
    }

    deinit { unsafe base.deallocate() }

    /// Returns the address of `length` values.
    /// - Precondition: The plane has that number of values.
    @inline(__always)
    @unsafe func values(_ length: Int) -> UnsafeMutablePointer<Float> {
        precondition(length >= 0 && length <= count)
        return unsafe base
    }

    subscript(index: Int) -> Float {
        get {
            precondition(index >= 0 && index < count)
            return unsafe base[index]
        }
        nonmutating set {
            precondition(index >= 0 && index < count)
            unsafe base[index] = newValue
        }
    }
}
