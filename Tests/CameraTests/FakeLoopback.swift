import Platform
import Synchronization
import TestSupport

@testable import Camera

/// A device that behaves like v4l2loopback, with the calls of programs that read it.
///
/// Sources: `v4l2loopback.c` of 0.12.7, 0.13.2 and 0.15.4, and the change of 2020 that added the event.
final class FakeLoopback: Sendable {
    enum Version: CaseIterable {
        /// 0.12 without the event.
        case silent
        /// 0.12 as distributions patched it.
        case early
        /// 0.13, which refuses the pictures of a second writer, and rounds sizes up to pages.
        case middle
        /// 0.14 and later, which refuse the format of a second writer, and keep the format while a program reads.
        case late

        var event: UInt32? {
            switch self {
            case .silent: nil
            case .early: 0x0800_0000
            case .middle, .late: 0x10E0_0001
            }
        }

        static let withEvent: [Version] = [.early, .middle, .late]
    }

    struct State {
        var format: LoopbackFormat?
        var rate: CameraMode?
        var writer: ObjectIdentifier?
        var hasReader = false
        /// All pictures that were written.
        var pictures: [[UInt8]] = []
        /// Readers that were not reported yet to the subscribed writer.
        var events: [UInt32] = []
        /// Wakes the subscribed writer.
        var wakes: Channel<Bool>?
        var isRemoved = false
    }

    let version: Version
    /// The bytes that the driver adds to each row.
    let padding: Int
    let state = Mutex(State())

    init(_ version: Version, padding: Int = 0) { (self.version, self.padding) = (version, padding) }

    var pictures: [[UInt8]] { state.withLock { $0.pictures } }

    func open() -> any LoopbackDevice { OpenLoopback(self) }

    func output() throws -> LoopbackOutput {
        try LoopbackOutput("/dev/video10") { _ throws(RawFileError) in self.open() }
    }

    /// Begins or ends to read, as `VIDIOC_STREAMON` and `VIDIOC_STREAMOFF`.
    ///
    /// - Throws: `EIO` if no program writes.
    func read(_ begins: Bool) throws(RawFileError) {
        guard state.withLock({ $0.writer != nil }) else { throw RawFileError(number: EIO) }
        state.withLock { state in
            state.hasReader = begins
            state.events.append(begins ? 1 : 0)
            state.wakes?.sendNewest(true)
        }
    }

    func remove() {
        state.withLock { state in
            state.isRemoved = true
            state.wakes?.sendNewest(false)
        }
    }
}

/// One program's use of the device.
private final class OpenLoopback: LoopbackDevice {
    private let fake: FakeLoopback
    private let wakes = Channel<Bool>(capacity: 64)

    init(_ fake: FakeLoopback) { self.fake = fake }

    deinit { fake.state.withLock { if $0.writer == ObjectIdentifier(self) { $0.writer = nil } } }

    func identify() -> LoopbackIdentity {
        // With exclusive_caps, a device with a writer accepts none. The others refuse a second one later.
        let acceptsPictures = fake.state.withLock { $0.writer == nil } || fake.version != .early
        return LoopbackIdentity(driver: "v4l2 loopback", card: "Flourish", acceptsPictures: acceptsPictures)
    }

    func setFormat(_ format: LoopbackFormat) throws(RawFileError) -> LoopbackFormat {
        let result: Result<LoopbackFormat, RawFileError> = fake.state.withLock { state in
            if fake.version == .late {
                guard state.writer == nil else { return .failure(RawFileError(number: EBUSY)) }
                if state.hasReader, let kept = state.format { return .success(kept) }
            } else if let kept = state.format, state.writer != nil || state.hasReader {
                let isSame = kept.code == format.code && kept.width == format.width && kept.height == format.height
                return isSame ? .success(kept) : .failure(RawFileError(number: EBUSY))
            }
            var chosen = format
            chosen.stride += fake.padding
            chosen.size = chosen.stride * chosen.height
            if fake.version != .late { chosen.size = (chosen.size + 4095) / 4096 * 4096 }
            state.format = chosen
            return .success(chosen)
        }
        return try result.get()
    }

    func setRate(_ mode: CameraMode) { fake.state.withLock { $0.rate = mode } }

    func subscribe(to event: UInt32) throws(RawFileError) {
        guard event == fake.version.event else { throw RawFileError(number: EINVAL) }
        fake.state.withLock { state in
            state.events = [state.hasReader ? 1 : 0]
            state.wakes = wakes
        }
        wakes.sendNewest(true)
    }

    func waitForEvent() -> Bool { wakes.receive() ?? false }

    func stopWaiting() { wakes.sendNewest(false) }

    func nextEvent() -> (event: UInt32, value: UInt32)? {
        fake.state.withLock { state in
            state.events.isEmpty ? nil : (fake.version.event ?? 0, state.events.removeFirst())
        }
    }

    func write(_ picture: [UInt8]) throws(RawFileError) -> Int {
        let result: Result<Int, RawFileError> = fake.state.withLock { state in
            if state.isRemoved { return .failure(RawFileError(number: ENODEV)) }
            if let writer = state.writer, writer != ObjectIdentifier(self) {
                return .failure(RawFileError(number: fake.version == .late ? EBUSY : EINVAL))
            }
            state.writer = ObjectIdentifier(self)
            state.pictures.append(picture)
            return .success(min(picture.count, state.format?.size ?? 0))
        }
        return try result.get()
    }
}
