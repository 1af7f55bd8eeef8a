internal import Synchronization

/// A switch that stops blocking reads: FFmpeg polls it while it waits.
///
/// Raise it from any thread or from a signal handler's thread; whatever then
/// waits in ``Demuxer`` ends with ``MediaError/Code/interrupted``.
package final class InterruptFlag: Sendable {
    private let raised = Atomic<Bool>(false)

    package init() {}

    package var isRaised: Bool { raised.load(ordering: .relaxed) }

    package func raise() { raised.store(true, ordering: .relaxed) }
}
