internal import CPipeWire
import Flourish
import MediaIO

/// A connection to PipeWire: its cameras, and our own camera.
///
/// Observers are called on the connection's thread, and must return soon. ``close()`` and the streams' `close` must not be called in them.
@safe
final class PipeWireSession: @unchecked Sendable {
    struct Observer: Sendable {
        /// A camera, without its modes.
        var added: @Sendable (CameraDevice) -> Void = { _ in }
        var offered: @Sendable (UInt32, CameraMode) -> Void = { _, _ in }
        /// All modes of a camera were reported.
        var ready: @Sendable (UInt32) -> Void = { _ in }
        var removed: @Sendable (UInt32) -> Void = { _ in }
        /// All cameras that existed at the beginning were reported.
        var listed: @Sendable () -> Void = {}
        var lost: @Sendable (String) -> Void = { _ in }
    }

    private let session: OpaquePointer
    private let context: Unmanaged<PipeWireBox<Observer>>

    /// - Throws: ``FlourishError/Code/unavailable`` if PipeWire is not installed or does not run.
    init(_ observer: Observer) throws(FlourishError) {
        let context = unsafe Unmanaged.passRetained(PipeWireBox(observer))
        var events = unsafe cpw_session_events()
        unsafe events.context = unsafe context.toOpaque()
        unsafe events.added = { context, camera in
            guard let context = unsafe context, let camera = unsafe camera?.pointee else { return }
            var device = unsafe CameraDevice(
                id: camera.id, name: String(cString: camera.name), title: String(cString: camera.title), modes: [])
            device.path = unsafe camera.device.map { unsafe String(cString: $0) }
            device.isOffered =
                unsafe camera.is_provided || device.path != nil && device.title.hasPrefix(LoopbackModule.label)
            unsafe PipeWireBox<Observer>.from(context).added(device)
        }
        unsafe events.offered = { context, id, mode in
            guard let context = unsafe context, let mode = unsafe mode.flatMap({ unsafe CameraMode($0.pointee) }) else {
                return
            }
            unsafe PipeWireBox<Observer>.from(context).offered(id, mode)
        }
        unsafe events.ready = { context, id in
            guard let context = unsafe context else { return }
            unsafe PipeWireBox<Observer>.from(context).ready(id)
        }
        unsafe events.removed = { context, id in
            guard let context = unsafe context else { return }
            unsafe PipeWireBox<Observer>.from(context).removed(id)
        }
        unsafe events.listed = { context in
            guard let context = unsafe context else { return }
            unsafe PipeWireBox<Observer>.from(context).listed()
        }
        unsafe events.lost = { context, reason in
            guard let context = unsafe context else { return }
            unsafe PipeWireBox<Observer>.from(context).lost(reason.map { unsafe String(cString: $0) } ?? "")
        }
        var message = [CChar](repeating: 0, count: Int(CPW_MESSAGE_SIZE))
        guard let session = unsafe cpw_open(&events, &message) else {
            unsafe context.release()
            throw FlourishError(.unavailable, Self.text(message))
        }
        unsafe self.session = unsafe session
        unsafe self.context = unsafe context
    }

    /// Ends the connection and its streams.
    func close() {
        unsafe cpw_close(session)
        unsafe context.release()
    }

    /// Opens a camera in one of the modes.
    ///
    /// - Throws: ``FlourishError/Code/inputUnavailable``.
    func read(_ camera: CameraDevice, as modes: [CameraMode], _ observer: CameraStream.Observer) throws(FlourishError)
        -> CameraStream
    {
        unsafe try stream(observer, .inputUnavailable) { events, message in
            unsafe cpw_read(session, camera.name, modes.map(\.pipeWire), modes.count, events, message)
        }
    }

    /// Creates our camera.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable``.
    func provide(_ name: String, modes: [CameraMode], _ observer: CameraStream.Observer) throws(FlourishError)
        -> CameraStream
    {
        unsafe try stream(observer, .outputUnavailable) { events, message in
            unsafe cpw_provide(session, name, name, modes.map(\.pipeWire), modes.count, events, message)
        }
    }

    /// Opens a microphone.
    ///
    /// - Throws: ``FlourishError/Code/inputUnavailable``.
    func read(_ microphone: Microphone, _ observer: MicrophoneStream.Observer) throws(FlourishError)
        -> MicrophoneStream
    {
        let context = unsafe Unmanaged.passRetained(PipeWireBox(observer))
        var events = unsafe MicrophoneStream.events(context.toOpaque())
        var message = [CChar](repeating: 0, count: Int(CPW_MESSAGE_SIZE))
        guard
            let stream = unsafe cpw_read_microphone(
                session, microphone.name, UInt32(Microphone.rate), &events,
                { unsafe MicrophoneStream.arrived($0, $1, $2) }, &message)
        else {
            unsafe context.release()
            throw FlourishError(.inputUnavailable, Self.text(message))
        }
        return unsafe MicrophoneStream(stream, context)
    }

    private func stream(
        _ observer: CameraStream.Observer, _ code: FlourishError.Code,
        _ open: (UnsafePointer<cpw_stream_events>, UnsafeMutablePointer<CChar>) -> OpaquePointer?
    ) throws(FlourishError) -> CameraStream {
        let context = unsafe Unmanaged.passRetained(PipeWireBox(observer))
        var events = unsafe CameraStream.events(context.toOpaque())
        var message = [CChar](repeating: 0, count: Int(CPW_MESSAGE_SIZE))
        guard let stream = unsafe open(&events, &message) else {
            unsafe context.release()
            throw FlourishError(code, Self.text(message))
        }
        return unsafe CameraStream(stream, context)
    }

    private static func text(_ message: [CChar]) -> String {
        String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// A stream of pictures: from a camera, or to the readers of our camera.
///
/// Pictures are copied out of PipeWire's memory, or written into it.
@safe
final class CameraStream: @unchecked Sendable {
    enum State: Sendable, Equatable {
        case connecting
        /// Nothing flows: the camera is not running, or no program reads.
        case paused
        case running
        case failed(String)
    }

    struct Observer: Sendable {
        var changed: @Sendable (State) -> Void = { _ in }
        var negotiated: @Sendable (CameraMode) -> Void = { _ in }
        /// A picture's bytes: its planes one after the other, each with rows without gaps.
        var arrived: @Sendable (CameraMode, [UInt8]) -> Void = { _, _ in }
    }

    private let stream: OpaquePointer
    private let context: Unmanaged<PipeWireBox<Observer>>

    fileprivate init(_ stream: OpaquePointer, _ context: Unmanaged<PipeWireBox<Observer>>) {
        unsafe self.stream = unsafe stream
        unsafe self.context = unsafe context
    }

    /// Closes the stream; not after its session was closed.
    func close() {
        unsafe cpw_stream_close(stream)
        unsafe context.release()
    }

    /// Delivers a picture to the readers.
    ///
    /// - Parameters:
    ///   - time: Nanoseconds on the monotonic clock.
    ///   - write: Fills the planes of a picture of the negotiated mode.
    /// - Returns: `false` if no program reads, or if the readers hold all buffers: then the picture is dropped.
    func deliver(at time: UInt64, _ write: (CameraMode, [ExternalFrameWrapper.Plane]) -> Void) -> Bool {
        withoutActuallyEscaping(write) { write in
            let call = PipeWireBox(write)
            return withExtendedLifetime(call) {
                unsafe cpw_deliver(
                    stream, Int64(time),
                    { context, picture in
                        guard let context = unsafe context, let picture = unsafe picture?.pointee,
                            let mode = CameraMode(picture.mode)
                        else { return }
                        unsafe PipeWireBox<(CameraMode, [ExternalFrameWrapper.Plane]) -> Void>.from(context)(
                            mode, planes(of: picture))
                    }, Unmanaged.passUnretained(call).toOpaque())
            }
        }
    }

    fileprivate static func events(_ context: UnsafeMutableRawPointer) -> cpw_stream_events {
        var events = unsafe cpw_stream_events()
        unsafe events.context = unsafe context
        unsafe events.changed = { context, state, message in
            guard let context = unsafe context else { return }
            let reason = unsafe message.map { unsafe String(cString: $0) }
            let current: State =
                switch state {
                case CPW_RUNNING: .running
                case CPW_PAUSED: .paused
                case CPW_CONNECTING: .connecting
                default: .failed(reason ?? "the stream ended")
                }
            unsafe PipeWireBox<Observer>.from(context).changed(current)
        }
        unsafe events.negotiated = { context, mode in
            guard let context = unsafe context, let mode = unsafe mode.flatMap({ unsafe CameraMode($0.pointee) }) else {
                return
            }
            unsafe PipeWireBox<Observer>.from(context).negotiated(mode)
        }
        unsafe events.arrived = { context, picture in
            guard let context = unsafe context, let picture = unsafe picture?.pointee,
                let mode = CameraMode(picture.mode)
            else { return }
            unsafe PipeWireBox<Observer>.from(context).arrived(mode, packed(picture, mode))
        }
        return unsafe events
    }
}

/// Passes a value through a C call.
final class PipeWireBox<Value> {
    let value: Value
    init(_ value: Value) { self.value = value }

    @unsafe
    static func from(_ context: UnsafeMutableRawPointer) -> Value {
        unsafe Unmanaged<PipeWireBox<Value>>.fromOpaque(context).takeUnretainedValue().value
    }
}

@unsafe
private func planes(of picture: cpw_picture) -> [ExternalFrameWrapper.Plane] {
    let addresses = unsafe [picture.planes.0, picture.planes.1, picture.planes.2]
    let strides = [picture.strides.0, picture.strides.1, picture.strides.2]
    return (0..<Int(picture.plane_count)).map {
        unsafe ExternalFrameWrapper.Plane(address: addresses[$0]!, stride: Int(strides[$0]))
    }
}

/// Returns a copy of a picture. The rows of the copy follow each other without gaps.
@unsafe
private func packed(_ picture: cpw_picture, _ mode: CameraMode) -> [UInt8] {
    let addresses = unsafe [picture.planes.0, picture.planes.1, picture.planes.2]
    let strides = [picture.strides.0, picture.strides.1, picture.strides.2].map(Int.init)
    let rows: [(size: Int, count: Int)] =
        switch mode.format {
        case .mjpg: [(strides[0], 1)]
        case .i420:
            [(mode.width, mode.height)] + Array(repeating: ((mode.width + 1) / 2, (mode.height + 1) / 2), count: 2)
        case .nv12: [(mode.width, mode.height), ((mode.width + 1) / 2 * 2, (mode.height + 1) / 2)]
        case .yuy2, .uyvy: [((mode.width + 1) / 2 * 4, mode.height)]
        case .bgrx: [(4 * mode.width, mode.height)]
        case .rgb: [(3 * mode.width, mode.height)]
        }
    let size = rows.reduce(0) { $0 + $1.size * $1.count }
    return unsafe [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
        var offset = 0
        for (plane, row) in rows.enumerated() {
            for y in 0..<row.count {
                unsafe (bytes.baseAddress! + offset).update(
                    from: addresses[plane]! + y * strides[plane], count: row.size)
                offset += row.size
            }
        }
        count = size
    }
}
