import CFlourish
import Flourish
import Synchronization

/// A processor of a C program, which any thread may use.
final class HostedProcessor: Sendable {
    /// The frames of one video, which are processed one after the other. Used under the lock only.
    private struct Stream: @unchecked Sendable {
        let processor: ReactionProcessor
        /// The time of the previous frame in nanoseconds.
        var lastTime: Int64?
        var isFinished = false

        func checkUnfinished() throws(CallFailure) {
            if isFinished { throw CallFailure(FLOURISH_FINISHED, "the processor was finished; create a new one") }
        }
    }

    let session: ReactionSession
    let layout: PlaneLayout
    let events: EventQueue
    private let stream: Mutex<Stream>

    /// - Throws: ``CallFailure`` if the settings are invalid or a resource is missing.
    init(width: Int, height: Int, layout: PlaneLayout, settings: ProcessorSettings) throws(FlourishError) {
        let (session, events) = (ReactionSession(configuration: try settings.configuration()), EventQueue())
        let processor = try ReactionProcessor(
            width: width, height: height, pixelFormat: layout.formatName, isFullRange: settings.isFullRange,
            matrix: settings.matrix, session: session, observer: SessionObserver(event: { events.append($0) }))
        (self.session, self.layout, self.events) = (session, layout, events)
        stream = Mutex(Stream(processor: processor))
    }

    /// Processes a frame.
    ///
    /// - Parameters:
    ///   - planes: The planes, as many as the layout has.
    ///   - time: The time stamp in nanoseconds.
    /// - Returns: Whether the frame was drawn on.
    @unsafe
    func process(_ planes: [PixelPlane], at time: Int64) throws(CallFailure) -> Bool {
        nonisolated(unsafe) let planes = unsafe planes
        return try stream.withLock { stream throws(CallFailure) in
            try stream.checkUnfinished()
            if let last = stream.lastTime, time <= last {
                throw CallFailure(
                    FLOURISH_LATE_FRAME,
                    "the time \(TimeText.seconds(time)) is not after \(TimeText.seconds(last)), the time of the previous frame; skip the frame"
                )
            }
            stream.lastTime = time
            do throws(FlourishError) {
                unsafe try stream.processor.process(planes, at: Double(time) / 1e9)
                return stream.processor.hasDrawn
            } catch {
                throw CallFailure(error)
            }
        }
    }

    /// Ends the effects in progress and the events.
    func finish() throws(CallFailure) {
        try stream.withLock { stream throws(CallFailure) in
            try stream.checkUnfinished()
            stream.isFinished = true
            do throws(FlourishError) { try stream.processor.finish() } catch { throw CallFailure(error) }
        }
    }
}

/// The planes of a pixel format.
struct PlaneLayout: Sendable {
    /// FFmpeg's name of the format.
    let formatName: String
    /// The format's name in messages.
    let name: String
    /// The bytes of a row of each plane.
    let rowBytes: [Int]

    /// - Throws: ``CallFailure`` for an unknown format.
    init(_ format: flourish_pixel_format, width: Int) throws(CallFailure) {
        let half = (width + 1) / 2
        switch format {
        case FLOURISH_NV12: (formatName, name, rowBytes) = ("nv12", "NV12", [width, 2 * half])
        case FLOURISH_I420: (formatName, name, rowBytes) = ("yuv420p", "I420", [width, half, half])
        case FLOURISH_BGRX: (formatName, name, rowBytes) = ("bgr0", "BGRX", [4 * width])
        case FLOURISH_RGBA: (formatName, name, rowBytes) = ("rgba", "RGBA", [4 * width])
        case FLOURISH_BGR: (formatName, name, rowBytes) = ("bgr24", "BGR", [3 * width])
        case FLOURISH_RGB: (formatName, name, rowBytes) = ("rgb24", "RGB", [3 * width])
        default:
            throw .argument("\(format.rawValue) is not a pixel format; use one of flourish_pixel_format")
        }
    }

    /// Returns the planes at the host's addresses.
    ///
    /// - Throws: ``CallFailure`` for a missing address, or a stride that is smaller than a row.
    @unsafe
    func planes(
        _ addresses: UnsafePointer<UnsafeMutablePointer<UInt8>?>?, strides: UnsafePointer<Int32>?
    ) throws(CallFailure) -> [PixelPlane] {
        guard let addresses = unsafe addresses, let strides = unsafe strides else {
            throw .argument("planes or strides is NULL; a frame in \(name) needs both")
        }
        var planes: [PixelPlane] = unsafe []
        for (index, bytes) in rowBytes.enumerated() {
            guard let address = unsafe addresses[index] else {
                throw .argument("planes[\(index)] is NULL; a frame in \(name) has \(rowBytes.count) planes")
            }
            let stride = unsafe Int(strides[index])
            guard stride >= bytes else {
                throw .argument("strides[\(index)] is \(stride), but a row of the plane has \(bytes) bytes")
            }
            unsafe planes.append(PixelPlane(address: address, bytesPerRow: stride))
        }
        return unsafe planes
    }
}

/// The events of a processor that its host has not read yet.
///
/// A host that reads no events loses the oldest ones, so that memory stays bounded.
final class EventQueue: Sendable {
    private struct State {
        /// A ring: the oldest event is at `first`.
        var events: [ReactionEvent?] = []
        var first = 0
        var count = 0
    }

    private let state = Mutex(State())

    /// Appends an event; drops the oldest one if the queue is full.
    func append(_ event: ReactionEvent) {
        state.withLock { state in
            if state.count == state.events.count, state.count < ReactionEvents.capacity {
                // The ring grows in steps: most hosts read after every frame.
                let ordered = state.events[state.first...] + state.events[..<state.first]
                let room = min(max(2 * state.count, 16), ReactionEvents.capacity)
                state.events = ordered + Array(repeating: nil, count: room - state.count)
                state.first = 0
            }
            state.events[(state.first + state.count) % state.events.count] = event
            if state.count < state.events.count {
                state.count += 1
            } else {
                state.first = (state.first + 1) % state.events.count
            }
        }
    }

    /// Removes the oldest event; `nil` if there is none.
    func removeFirst() -> ReactionEvent? {
        state.withLock { state in
            guard state.count > 0 else { return nil }
            defer {
                state.events[state.first] = nil
                state.first = (state.first + 1) % state.events.count
                state.count -= 1
            }
            return state.events[state.first]
        }
    }
}

/// The processors of this process by their handles.
///
/// A handle is a number that no other processor gets, instead of an address, so that a call with a destroyed processor is an
/// error. A call holds its processor, which another thread may destroy meanwhile.
enum ProcessorRegistry {
    private struct State {
        var processors: [UInt: HostedProcessor] = [:]
        var next: UInt = 1
    }

    private static let state = Mutex(State())

    static func insert(_ processor: HostedProcessor) -> OpaquePointer {
        let handle = state.withLock { state in
            defer { state.next += 1 }
            state.processors[state.next] = processor
            return state.next
        }
        // Some hosts store flags in the lowest bits of a pointer.
        return unsafe OpaquePointer(bitPattern: handle << 4)!
    }

    static func processor(_ handle: OpaquePointer?) throws(CallFailure) -> HostedProcessor {
        guard let handle = unsafe handle else {
            throw .argument("the processor is NULL; create one with flourish_create")
        }
        let key = UInt(bitPattern: handle) >> 4
        guard let found = state.withLock({ $0.processors[key] }) else {
            throw .argument("the processor was destroyed, or is not from flourish_create")
        }
        return found
    }

    static func remove(_ handle: OpaquePointer?) {
        guard let handle = unsafe handle else { return }
        let key = UInt(bitPattern: handle) >> 4
        // The processor is released after the lock.
        _ = state.withLock { $0.processors.removeValue(forKey: key) }
    }
}
