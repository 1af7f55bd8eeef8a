internal import CVideo4Linux
import Platform

/// The format of the pictures of a loopback device.
struct LoopbackFormat: Sendable, Hashable {
    /// Four characters, as in ``CameraFormat/code``.
    var code: UInt32
    /// The size in pixels.
    var width: Int
    var height: Int
    /// The length of a row of the first plane, and of the picture, in bytes.
    var stride: Int
    var size: Int
}

/// The names of a device of Video4Linux.
struct LoopbackIdentity: Sendable, Hashable {
    var driver: String
    /// The device's name for people.
    var card: String
    /// True if pictures can be written. With `exclusive_caps`, the driver withdraws this while a program writes.
    var acceptsPictures: Bool

    /// True if the device is one of v4l2loopback.
    var isLoopback: Bool { driver == "v4l2 loopback" }
}

/// An open device of Video4Linux to which pictures are written: the calls of the system, without decisions.
///
/// Any thread may use it. All calls but ``waitForEvent()`` return at once.
protocol LoopbackDevice: AnyObject, Sendable {
    func identify() throws(RawFileError) -> LoopbackIdentity
    /// Asks for a format.
    ///
    /// - Returns: The format that the driver chose.
    func setFormat(_ format: LoopbackFormat) throws(RawFileError) -> LoopbackFormat
    /// Sets the rate that readers see.
    func setRate(_ mode: CameraMode) throws(RawFileError)
    /// Subscribes to an event. The driver reports its present value as the first one.
    func subscribe(to event: UInt32) throws(RawFileError)
    /// Waits for the next event.
    ///
    /// - Returns: `false` after ``stopWaiting()``, and after the device was removed.
    func waitForEvent() -> Bool
    /// Ends ``waitForEvent()`` for good.
    func stopWaiting()
    /// Returns the next event and the number in its data; `nil` if there is none.
    func nextEvent() -> (event: UInt32, value: UInt32)?
    /// Writes a picture.
    ///
    /// - Returns: The number of bytes that were written.
    func write(_ picture: [UInt8]) throws(RawFileError) -> Int
}

/// A device of the kernel.
final class KernelLoopbackDevice: LoopbackDevice {
    private let descriptor: Int32
    /// Something arrives in this pipe when the waiting ends.
    private let stop: (reading: Int32, writing: Int32)

    /// Opens a device.
    ///
    /// - Throws: The error number; `ENODEV` if the path is no device. Other files are not opened, since opening a pipe changes
    ///   its writer.
    init(_ path: String) throws(RawFileError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw RawFileError(number: errno) }
        guard status.st_mode & S_IFMT == S_IFCHR else { throw RawFileError(number: ENODEV) }
        descriptor = try RawFile.open(RawName.bytes(path), O_RDWR | O_NONBLOCK | O_NOCTTY)
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            let number = errno
            close(descriptor)
            throw RawFileError(number: number)
        }
        stop = (ends[0], ends[1])
    }

    deinit { for open in [descriptor, stop.reading, stop.writing] { close(open) } }

    func identify() throws(RawFileError) -> LoopbackIdentity {
        var driver = [CChar](repeating: 0, count: Int(CV4L_DRIVER_SIZE))
        var card = [CChar](repeating: 0, count: Int(CV4L_CARD_SIZE))
        var acceptsPictures = false
        try check(unsafe cv4l_identify(descriptor, &driver, &card, &acceptsPictures))
        func text(_ name: [CChar]) -> String {
            String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return LoopbackIdentity(driver: text(driver), card: text(card), acceptsPictures: acceptsPictures)
    }

    func setFormat(_ format: LoopbackFormat) throws(RawFileError) -> LoopbackFormat {
        var chosen = cv4l_format(
            pixels: format.code, width: UInt32(format.width), height: UInt32(format.height),
            stride: UInt32(format.stride), size: UInt32(format.size))
        try check(unsafe cv4l_set_format(descriptor, &chosen))
        return LoopbackFormat(
            code: chosen.pixels, width: Int(chosen.width), height: Int(chosen.height), stride: Int(chosen.stride),
            size: Int(chosen.size))
    }

    func setRate(_ mode: CameraMode) throws(RawFileError) {
        let (numerator, denominator) = mode.fraction
        try check(cv4l_set_rate(descriptor, numerator, denominator))
    }

    func subscribe(to event: UInt32) throws(RawFileError) { try check(cv4l_subscribe(descriptor, event)) }

    func waitForEvent() -> Bool {
        var waits = [
            pollfd(fd: descriptor, events: Int16(POLLPRI), revents: 0),
            pollfd(fd: stop.reading, events: Int16(POLLIN), revents: 0),
        ]
        while unsafe poll(&waits, nfds_t(waits.count), -1) < 0 {
            guard errno == EINTR else { return false }
        }
        return waits[1].revents == 0 && waits[0].revents & Int16(POLLERR | POLLHUP | POLLNVAL) == 0
    }

    func stopWaiting() { _ = DescriptorOutput.write([0], to: stop.writing) }

    func nextEvent() -> (event: UInt32, value: UInt32)? {
        var (event, value): (UInt32, UInt32) = (0, 0)
        return unsafe cv4l_next_event(descriptor, &event, &value) == 0 ? (event, value) : nil
    }

    func write(_ picture: [UInt8]) throws(RawFileError) -> Int {
        while true {
            let count = unsafe picture.withUnsafeBytes { bytes in
                unsafe Platform.write(descriptor, bytes.baseAddress, bytes.count)
            }
            if count >= 0 { return count }
            guard errno == EINTR else { throw RawFileError(number: errno) }
        }
    }

    private func check(_ number: Int32) throws(RawFileError) {
        if number != 0 { throw RawFileError(number: number) }
    }
}

extension CameraFormat {
    /// The code of Video4Linux; 0 for JPEG files.
    var code: UInt32 {
        switch self {
        case .i420: cv4l_i420
        case .nv12: cv4l_nv12
        case .yuy2: cv4l_yuy2
        case .uyvy: cv4l_uyvy
        case .bgrx: cv4l_bgrx
        case .rgb: cv4l_rgb
        case .mjpg: 0
        }
    }
}

/// The events by which v4l2loopback reports whether a program reads; its data is a number that is 0 if none does.
///
/// The numbers are those of `v4l2loopback.c`: https://github.com/v4l2loopback/v4l2loopback
enum LoopbackEvent {
    /// 0.13 and later.
    static let current = cv4l_private_event + 0x08E0_0001
    /// 0.12 as distributions patched it, before the driver chose a number of its own.
    static let early = cv4l_private_event
}
