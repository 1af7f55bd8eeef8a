internal import CFFmpeg
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

    /// For FFmpeg: valid for as long as the flag lives.
    var callback: AVIOInterruptCB {
        unsafe AVIOInterruptCB(
            callback: { opaque in
                guard let opaque = unsafe opaque else { return 0 }
                let flag = unsafe Unmanaged<InterruptFlag>.fromOpaque(opaque).takeUnretainedValue()
                return flag.isRaised ? 1 : 0
            },
            opaque: Unmanaged.passUnretained(self).toOpaque())
    }
}
