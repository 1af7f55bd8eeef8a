/// Memory that the inner loops access by address.
@safe
final class KernelMemory<Element: BitwiseCopyable> {
    let address: UnsafeMutablePointer<Element>

    init(repeating value: Element, count: Int) {
        unsafe address = .allocate(capacity: count)
        unsafe address.initialize(repeating: value, count: count)
    }

    deinit { unsafe address.deallocate() }
}
