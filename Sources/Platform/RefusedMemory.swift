import Synchronization

/// Detects whether an allocation failed in this process since the detector was created.
///
/// FFmpeg continues silently after some failed allocations, and its output is then incomplete. Only programs that
/// install a counter detect this; in other programs the count is always 0.
package struct RefusedMemory: Sendable {
    private static let counter = Mutex<(@Sendable () -> Int64)?>(nil)

    private let before: Int64

    /// Creates a detector that starts now.
    package init() { before = Self.count }

    /// Installs the counter of refused allocations.
    package static func count(by counter: @escaping @Sendable () -> Int64) { Self.counter.withLock { $0 = counter } }

    private static var count: Int64 { counter.withLock { $0 }?() ?? 0 }

    /// A Boolean value that indicates whether an allocation failed since the detector was created.
    package var isSome: Bool { Self.count != before }
}
