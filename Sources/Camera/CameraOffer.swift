public import Flourish
import MediaIO
import Platform

/// A camera for other programs that shows what a run writes to a path: `pipewire:NAME` as an output.
///
/// The run writes YUV4MPEG2, whose rate is constant. Pictures are shown at that rate, and lost while no program reads.
public final class CameraOffer: Sendable {
    /// The path to which the run writes.
    public let path: String
    private let writing: Int32
    private let ended = Channel<Result<Void, FlourishError>>(capacity: 1)

    /// - Parameters:
    ///   - name: The name under which programs list the camera; empty for *Flourish*.
    ///   - report: Receives a line for each change that concerns the user, on any thread.
    /// - Throws: ``FlourishError/Code/unavailable`` if PipeWire is missing or does not run.
    public init(_ name: String, report: @escaping @Sendable (String) -> Void) throws(FlourishError) {
        let (reading, writing) = try CameraPipe.open()
        (path, self.writing) = ("/dev/fd/\(writing)", writing)
        // The first connection is made here, so that its errors end the command.
        try PipeWireSession(PipeWireSession.Observer()).close()
        StageThread { [ended] in
            defer { close(reading) }
            do throws(FlourishError) {
                let pictures = try OfferedPictures(reading)
                try CameraShow(name.isEmpty ? "Flourish" : name, pictures, report).run()
                ended.sendNewest(.success(()))
            } catch {
                ended.sendNewest(.failure(error))
            }
        }.detach()
    }

    /// Waits until the last picture is shown. The run must have ended.
    ///
    /// - Throws: ``FlourishError`` if the stream cannot be shown.
    public func finish() throws(FlourishError) {
        close(writing)
        if let result = ended.receive() { try result.get() }
    }
}

/// The pictures of a stream in YUV4MPEG2: https://wiki.multimedia.cx/index.php/YUV4MPEG2
private struct OfferedPictures {
    let mode: CameraMode
    let wrapper: ExternalFrameWrapper
    let pool = FramePool()
    private let descriptor: Int32

    /// - Throws: `x` for a format that cannot be shown.
    init(_ descriptor: Int32) throws(FlourishError) {
        self.descriptor = descriptor
        var (width, height, rate, format) = (0, 0, 0.0, "yuv420p")
        for word in (Self.line(descriptor) ?? "").split(separator: " ") {
            let value = word.dropFirst()
            switch word.first {
            case "W": width = Int(value) ?? 0
            case "H": height = Int(value) ?? 0
            case "F":
                let parts = value.split(separator: ":").compactMap { Double($0) }
                if parts.count == 2, parts[1] > 0 { rate = parts[0] / parts[1] }
            case "C": format = ["420": "yuv420p", "422": "yuv422p", "444": "yuv444p"][value.prefix(3)] ?? String(value)
            default: break
            }
        }
        guard width > 0, height > 0 else { throw FlourishError(.outputUnavailable, "the run wrote no picture") }
        mode = CameraMode(.i420, width: width, height: height, rate: rate > 0 ? min(rate, 240) : 30)
        wrapper = try ExternalFrameWrapper(format, mode, pool)
    }

    /// Reads the next picture; `nil` at the end.
    func next(into bytes: inout [UInt8]) -> Bool {
        guard let line = Self.line(descriptor), line.hasPrefix("FRAME") else { return false }
        return unsafe bytes.withUnsafeMutableBytes { unsafe Self.fill($0, from: descriptor) }
    }

    private static func line(_ descriptor: Int32) -> String? {
        var line: [UInt8] = []
        var byte: [UInt8] = [0]
        while line.count < 1024 {
            guard unsafe byte.withUnsafeMutableBytes({ unsafe fill($0, from: descriptor) }) else { return nil }
            if byte[0] == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte[0])
        }
        return nil
    }

    @unsafe
    private static func fill(_ bytes: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = unsafe read(descriptor, bytes.baseAddress! + done, bytes.count - done)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }
}

/// Shows pictures at their rate, over restarts of PipeWire.
private final class CameraShow {
    private let name: String
    private let pictures: OfferedPictures
    private let report: @Sendable (String) -> Void
    private let delivery: CameraDelivery
    private var connection: (session: PipeWireSession, stream: CameraStream, isLost: StopFlag)?
    private var nextAttempt = 0.0
    /// The time between two attempts to reach PipeWire, and the delay from which a late picture is the new beginning, in seconds.
    private static let pause = 0.5, longestDelay = 0.2

    init(_ name: String, _ pictures: OfferedPictures, _ report: @escaping @Sendable (String) -> Void) {
        (self.name, self.pictures, self.report) = (name, pictures, report)
        delivery = CameraDelivery(of: pictures.wrapper, pictures.mode, pool: pictures.pool)
    }

    func run() throws(FlourishError) {
        defer { disconnect() }
        var bytes = [UInt8](repeating: 0, count: pictures.wrapper.packedPlanes.reduce(0) { $0 + $1.size })
        var due: Double?
        while pictures.next(into: &bytes) {
            let time = MonotonicClock.seconds
            connect(at: time)
            let start = due.map { time - $0 > Self.longestDelay ? time : $0 } ?? time
            if start > time { usleep(UInt32((start - time) * 1e6)) }
            due = start + 1 / pictures.mode.rate
            try delivery.deliver(&bytes)
        }
    }

    private func connect(at time: Double) {
        if let connection, connection.isLost.isSet {
            report("PipeWire ended the connection; connecting again")
            disconnect()
        }
        guard connection == nil, time >= nextAttempt else { return }
        nextAttempt = time + Self.pause
        let isLost = StopFlag()
        var observer = PipeWireSession.Observer()
        observer.lost = { _ in isLost.set() }
        guard let session = try? PipeWireSession(observer) else { return }
        guard let stream = try? session.provide(name, modes: delivery.modes, CameraStream.Observer()) else {
            return session.close()
        }
        connection = (session, stream, isLost)
        delivery.output = stream
        report("the camera \(name) is ready")
    }

    private func disconnect() {
        delivery.output = nil
        connection?.stream.close()
        connection?.session.close()
        connection = nil
    }
}
