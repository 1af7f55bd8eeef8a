internal import CFFmpeg
import Platform
internal import Synchronization

/// Ends what blocks in FFmpeg: when the ``InterruptFlag`` is raised, and when a call takes longer
/// than its time-out.
final class IOWatch: Sendable {
    private let interrupt: InterruptFlag?
    private let isOutput: Bool
    /// Whether being asked to end, which FFmpeg does before each read and write, says that work gets on: where nothing
    /// can block for long.
    private let showsLife: Bool
    /// Whether a raised ``InterruptFlag`` ends what blocks.
    private let heedsInterrupt = Atomic<Bool>(true)
    /// In seconds; nil for ever.
    private let timeout: Double?
    private let callBegan = Atomic<UInt64>(0)
    private let stall: StallWarning?
    private let hasToldStall = Atomic<Bool>(false)
    /// Set where a call took too long, until ``check(_:)`` tells it. Time between calls is nobody's.
    private let hasTimedOut = Atomic<Bool>(false)

    /// - Parameters:
    ///   - timeout: In seconds.
    ///   - isOutput: Whether calls write rather than read.
    ///   - showsLife: Whether each read or write is a ``LifeSign``.
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

    /// A call into FFmpeg begins now.
    func begin() {
        callBegan.store(MonotonicClock.now, ordering: .relaxed)
        hasToldStall.store(false, ordering: .relaxed)
    }

    /// Whether the call should end.
    var mustEnd: Bool {
        if takesTooLong { hasTimedOut.store(true, ordering: .relaxed) }
        return isInterrupted || hasTimedOut.load(ordering: .relaxed)
    }

    /// The same for who waits, asked again and again: a long wait is told meanwhile.
    var isAskedToEnd: Bool {
        if showsLife { LifeSign.note() }
        tellStall()
        return mustEnd
    }

    /// Throws why the call had to end, if it had to.
    func check(_ path: String) throws(MediaError) {
        if isInterrupted {
            throw isOutput ? .writing(path, status: cffmpeg_error_exit) : .reading(path, status: cffmpeg_error_exit)
        }
        guard let timeout, hasTimedOut.exchange(false, ordering: .relaxed) else { return }
        let complaint = isOutput ? "no data was taken" : "no data came"
        throw MediaError(
            .timedOut, file: path,
            "\(path): \(complaint) for \(timeout == timeout.rounded() ? "\(Int(timeout))" : "\(timeout)") s")
    }

    /// Tells, once for each call, that it takes long.
    private func tellStall() {
        let began = callBegan.load(ordering: .relaxed)
        guard let stall, began > 0, Double(MonotonicClock.now - began) > stall.seconds * 1e9,
            !hasToldStall.exchange(true, ordering: .relaxed)
        else { return }
        stall.tell()
    }

    /// From now on an interruption is left to whoever calls: what was begun is to be finished.
    func ignoreInterrupt() { heedsInterrupt.store(false, ordering: .relaxed) }

    private var isInterrupted: Bool { interrupt?.isRaised == true && heedsInterrupt.load(ordering: .relaxed) }

    private var takesTooLong: Bool {
        let began = callBegan.load(ordering: .relaxed)
        guard let timeout, began > 0 else { return false }
        return Double(MonotonicClock.now - began) > timeout * 1e9
    }

    /// For FFmpeg: valid for as long as the watch lives.
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

/// Whom to tell that an input gives nothing.
package struct StallWarning: Sendable {
    /// After so many seconds.
    let seconds: Double
    /// Called once for each pause, on the thread that reads.
    let tell: @Sendable () -> Void

    package init(after seconds: Double, tell: @escaping @Sendable () -> Void) {
        self.seconds = seconds
        self.tell = tell
    }
}
