import Synchronization

/// Whether memory was refused in this process since a moment.
///
/// FFmpeg goes on without what it is refused here and there, and does not tell: what comes of it lacks something. Only a
/// program that counts knows; in all others nothing was ever refused.
package struct RefusedMemory: Sendable {
    private static let counter = Mutex<(@Sendable () -> Int64)?>(nil)

    private let before: Int64

    /// From now on.
    package init() { before = Self.count }

    /// Sets what counts the refusals.
    package static func count(by counter: @escaping @Sendable () -> Int64) { Self.counter.withLock { $0 = counter } }

    private static var count: Int64 { counter.withLock { $0 }?() ?? 0 }

    package var isSome: Bool { Self.count != before }
}
