public import Flourish
import Platform
import Synchronization

/// A device of v4l2loopback, for programs that read `/dev/video*` themselves.
///
/// The driver reports whether a program reads. While none does, the device shows a still picture. Any thread may use it.
public final class LoopbackOutput: Sendable {
    /// The device's path, without symbolic links.
    public let path: String
    let device: any LoopbackDevice
    /// The event of the driver that reports readers.
    private let event: UInt32

    private struct State {
        var hasReaders = false
        var isClosed = false
        /// The picture that is shown while no program reads.
        var still: [UInt8] = []
        var failed: @Sendable (FlourishError) -> Void = { _ in }
    }

    private let state = Mutex(State())

    /// Opens a device.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if the path is no device of v4l2loopback, or cannot be opened;
    ///   ``FlourishError/Code/unavailable`` if the driver does not report readers.
    public convenience init(_ path: String) throws(FlourishError) {
        try self.init(path) { path throws(RawFileError) in try KernelLoopbackDevice(path) }
    }

    init(_ path: String, open: (String) throws(RawFileError) -> any LoopbackDevice) throws(FlourishError) {
        self.path = Self.resolved(path)
        let identity: LoopbackIdentity
        do throws(RawFileError) {
            device = try open(path)
            identity = try device.identify()
        } catch {
            throw LoopbackFault.opening(path, error)
        }
        guard identity.isLoopback else { throw LoopbackFault.otherDriver(path, identity.driver) }
        guard identity.acceptsPictures else { throw LoopbackFault.busy(path) }
        let device = device
        let reported = [LoopbackEvent.current, LoopbackEvent.early].first { event in
            (try? device.subscribe(to: event)) != nil
        }
        guard let reported else { throw LoopbackFault.silentDriver(path) }
        event = reported
    }

    /// Returns a path without symbolic links; the path itself if it does not exist.
    public static func resolved(_ path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    /// Asks for a format.
    ///
    /// - Returns: The format that the driver chose. It keeps the format of an earlier writer while a program reads.
    func negotiate(_ format: LoopbackFormat, rate: CameraMode) throws(FlourishError) -> LoopbackFormat {
        do {
            let format = try device.setFormat(format)
            // Readers only see the rate; pictures come when the camera delivers them.
            try? device.setRate(rate)
            return format
        } catch {
            throw error.number == EBUSY ? LoopbackFault.busy(path) : LoopbackFault.writing(path, error)
        }
    }

    /// Shows the still picture, and reports readers from now on.
    ///
    /// The picture makes the device a camera for programs that look for one.
    ///
    /// - Parameters:
    ///   - still: The picture that is shown while no program reads.
    ///   - readersChanged: Receives whether a program reads, on a thread of its own.
    ///   - failed: Called once if the device fails later, on any thread.
    func start(
        still: [UInt8], readersChanged: @escaping @Sendable (Bool) -> Void,
        failed: @escaping @Sendable (FlourishError) -> Void
    ) throws(FlourishError) {
        do {
            try put(still)
        } catch {
            // The driver refuses the pictures of a second writer, by the one or the other number.
            throw [EBUSY, EINVAL].contains(error.number) ? LoopbackFault.busy(path) : LoopbackFault.writing(path, error)
        }
        state.withLock { ($0.still, $0.failed) = (still, failed) }
        StageThread { [self] in
            while device.waitForEvent() {
                var hasReaders: Bool?
                while let next = device.nextEvent() { if next.event == event { hasReaders = next.value > 0 } }
                guard let hasReaders else { continue }
                update(hasReaders)
                readersChanged(hasReaders)
            }
            fail(LoopbackFault.removed(path))
        }.detach()
    }

    /// Shows a picture if a program reads.
    func show(_ picture: [UInt8]) {
        write { $0.hasReaders ? picture : nil }
    }

    /// True if a program reads.
    var hasReaders: Bool { state.withLock { $0.hasReaders } }

    /// Ends the reports, and shows the still picture.
    func stop() {
        update(false)
        _ = close()
        device.stopWaiting()
    }

    /// Ends the writing.
    ///
    /// - Returns: The receiver of a failure; `nil` if the writing had ended.
    private func close() -> (@Sendable (FlourishError) -> Void)? {
        state.withLock { state in
            defer { (state.isClosed, state.failed) = (true, { _ in }) }
            return state.isClosed ? nil : state.failed
        }
    }

    /// Without readers, the still picture replaces the last one, which the next reader would see.
    private func update(_ hasReaders: Bool) {
        write { state in
            defer { state.hasReaders = hasReaders }
            return state.hasReaders && !hasReaders ? state.still : nil
        }
    }

    /// Writes the picture that a closure chooses. No other picture is written in between.
    private func write(_ choose: (inout State) -> [UInt8]?) {
        let error = state.withLock { state -> RawFileError? in
            guard !state.isClosed, let picture = choose(&state) else { return nil }
            do throws(RawFileError) {
                try put(picture)
                return nil
            } catch {
                return error
            }
        }
        if let error { fail(LoopbackFault.writing(path, error)) }
    }

    private func put(_ picture: [UInt8]) throws(RawFileError) {
        // A part of a picture would be shown as one.
        guard try device.write(picture) == picture.count else { throw RawFileError(number: EIO) }
    }

    /// Reports the first failure, and ends the output.
    private func fail(_ error: FlourishError) {
        let failed = close()
        device.stopWaiting()
        failed?(error)
    }
}
