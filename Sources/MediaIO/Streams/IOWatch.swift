internal import CFFmpeg
import Platform
internal import Synchronization

/// Ends blocking calls into FFmpeg when the ``InterruptFlag`` is raised, or when a call exceeds its time-out. Each
/// demuxer and muxer has one. It starts the time-out with ``begin()``, and FFmpeg then polls ``callback``.
final class IOWatch: Sendable {
    private let interrupt: InterruptFlag?
    private let isOutput: Bool
    /// True if each of FFmpeg's checks for interruption, before a read or write, is recorded as progress of the process
    /// (``ProgressHeartbeat``). This is meant for outputs that cannot block for long.
    private let showsLife: Bool
    /// True if a raised ``InterruptFlag`` ends blocking calls.
    private let respectsInterrupt = Atomic<Bool>(true)
    /// The time-out in seconds; none if nil.
    private let timeout: Double?
    private let callBegan = Atomic<UInt64>(0)
    private let stall: StallWarning?
    private let hasWarnedOfStall = Atomic<Bool>(false)
    /// True if a call exceeded the time-out; ``check(_:)`` throws the error and resets it. Time between calls does not
    /// count.
    private let hasTimedOut = Atomic<Bool>(false)

    /// - Parameters:
    ///   - timeout: The time-out in seconds.
    ///   - isOutput: Whether calls write rather than read.
    ///   - showsLife: Whether each read or write is a ``ProgressHeartbeat``.
    init(
        interrupt: InterruptFlag?, timeout: Double?, stall: StallWarning? = nil, isOutput: Bool = false,
        showsLife: Bool = false
    ) {
        self.isOutput = isOutput
        self.showsLife = showsLife
        self.stall = stall
        self.interrupt = interrupt
        self.timeout = timeout
    }

    /// Starts the time-out of a call into FFmpeg.
    func begin() {
        callBegan.store(MonotonicClock.now, ordering: .relaxed)
        hasWarnedOfStall.store(false, ordering: .relaxed)
    }

    /// True if the call should end.
    var mustEnd: Bool {
        if takesTooLong { hasTimedOut.store(true, ordering: .relaxed) }
        return isInterrupted || hasTimedOut.load(ordering: .relaxed)
    }

    /// True if a waiting call should end, for code that polls. Reading the value also warns of a stall.
    var isAskedToEnd: Bool {
        if showsLife { ProgressHeartbeat.record() }
        warnOfStall()
        return mustEnd
    }

    /// Throws the reason why the call had to end, if there is one.
    func check(_ path: String) throws(MediaError) {
        if isInterrupted {
            throw isOutput ? .writing(path, status: cffmpeg_error_exit) : .reading(path, status: cffmpeg_error_exit)
        }
        guard let timeout, hasTimedOut.exchange(false, ordering: .relaxed) else { return }
        let problem = isOutput ? "no data was accepted" : "no data was received"
        throw MediaError(
            .timedOut, file: path,
            "\(path): \(problem) for \(timeout == timeout.rounded() ? "\(Int(timeout))" : "\(timeout)") s")
    }

    /// Calls the stall warning once for each call that takes long.
    private func warnOfStall() {
        let began = callBegan.load(ordering: .relaxed)
        guard let stall, began > 0, Double(MonotonicClock.now - began) > stall.seconds * 1e9,
            !hasWarnedOfStall.exchange(true, ordering: .relaxed)
        else { return }
        stall.emit()
    }

    /// Ignores interruptions from now on, so that the output can be finished.
    func ignoreInterrupt() { respectsInterrupt.store(false, ordering: .relaxed) }

    private var isInterrupted: Bool { interrupt?.isRaised == true && respectsInterrupt.load(ordering: .relaxed) }

    private var takesTooLong: Bool {
        let began = callBegan.load(ordering: .relaxed)
        guard let timeout, began > 0 else { return false }
        return Double(MonotonicClock.now - began) > timeout * 1e9
    }

    /// FFmpeg's callback; valid during the watch's lifetime.
    var callback: AVIOInterruptCB {
        unsafe AVIOInterruptCB(
            callback: { opaque in
                guard let opaque = unsafe opaque else { return 0 }
                let watch = unsafe Unmanaged<IOWatch>.fromOpaque(opaque).takeUnretainedValue()
                return watch.isAskedToEnd ? 1 : 0
            },
            opaque: Unmanaged.passUnretained(self).toOpaque())
    }
}

/// A flag that interrupts blocking reads. FFmpeg polls it while it waits.
///
/// The flag can be raised from any thread or from a signal handler's thread. Blocking calls of ``Demuxer`` then fail
/// with ``MediaError/Code/interrupted``.
package final class InterruptFlag: Sendable {
    private let raised = Atomic<Bool>(false)

    package init() {}

    package var isRaised: Bool { raised.load(ordering: .relaxed) }

    package func raise() { raised.store(true, ordering: .relaxed) }
}

/// A callback for inputs that provide no data.
package struct StallWarning: Sendable {
    /// The number of seconds without data before the call.
    let seconds: Double
    /// The callback, called once for each pause, on the reading thread.
    let emit: @Sendable () -> Void

    package init(after seconds: Double, emit: @escaping @Sendable () -> Void) {
        self.seconds = seconds
        self.emit = emit
    }
}
