internal import CFFmpeg
internal import Synchronization

/// Ends what blocks in FFmpeg: when the ``InterruptFlag`` is raised, and when a call takes longer
/// than its time-out.
final class IOWatch: Sendable {
    private let interrupt: InterruptFlag?
    /// In seconds; nil for ever.
    private let timeout: Double?
    private let callBegan = Atomic<UInt64>(0)
    private let stall: StallWarning?
    private let hasToldStall = Atomic<Bool>(false)
    /// Set where a call took too long, until ``check(_:)`` tells it. Time between calls is nobody's.
    private let hasTimedOut = Atomic<Bool>(false)

    /// What a time-out means.
    private let complaint: String

    /// - Parameters:
    ///   - timeout: In seconds.
    ///   - isOutput: Whether calls write rather than read.
    init(interrupt: InterruptFlag?, timeout: Double?, stall: StallWarning? = nil, isOutput: Bool = false) {
        complaint = isOutput ? "no data was taken" : "no data came"
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

    /// Throws why the call had to end, if it had to.
    func check(_ path: String) throws(MediaError) {
        if isInterrupted { throw .reading(path, status: cffmpeg_error_exit) }
        guard let timeout, hasTimedOut.exchange(false, ordering: .relaxed) else { return }
        throw MediaError(.timedOut, file: path, "\(path): \(complaint) for \(timeout == timeout.rounded() ? "\(Int(timeout))" : "\(timeout)") s")
    }

    /// Tells, once for each call, that it takes long.
    private func tellStall() {
        let began = callBegan.load(ordering: .relaxed)
        guard let stall, began > 0, Double(MonotonicClock.now - began) > stall.seconds * 1e9,
            !hasToldStall.exchange(true, ordering: .relaxed)
        else { return }
        stall.tell()
    }

    private var isInterrupted: Bool { interrupt?.isRaised == true }

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
                watch.tellStall()
                return watch.mustEnd ? 1 : 0
            },
            opaque: Unmanaged.passUnretained(self).toOpaque())
    }
}
