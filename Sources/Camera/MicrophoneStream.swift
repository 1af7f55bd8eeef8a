internal import CPipeWire
import MediaIO
import Platform

/// The microphone in which speech is detected while the real camera is open. Its sound is not kept.
struct Microphone: Sendable {
    /// The node's name; `nil` for the system's default.
    var name: String?
    /// Receives the speech in its sound.
    let timeline: SpeechTimeline
    /// The zero of the pictures' times, in seconds of the monotonic clock.
    let start: Double

    /// Samples a second.
    static let rate = 16_000

    /// Adds samples that have just arrived.
    func add(_ samples: [Float]) {
        let duration = Double(samples.count) / Double(Self.rate)
        timeline.add(samples, at: MonotonicClock.seconds - start - duration, rate: Double(Self.rate))
    }
}

/// A stream of sound from a microphone.
@safe
final class MicrophoneStream: @unchecked Sendable {
    struct Observer: Sendable {
        /// The microphone failed, for this reason.
        var failed: @Sendable (String) -> Void
        /// Samples have arrived.
        var arrived: @Sendable ([Float]) -> Void
    }

    private let stream: OpaquePointer
    private let context: Unmanaged<PipeWireBox<Observer>>

    init(_ stream: OpaquePointer, _ context: Unmanaged<PipeWireBox<Observer>>) {
        unsafe self.stream = unsafe stream
        unsafe self.context = unsafe context
    }

    /// Closes the stream; not after its session was closed.
    func close() {
        unsafe cpw_stream_close(stream)
        unsafe context.release()
    }

    static func events(_ context: UnsafeMutableRawPointer) -> cpw_stream_events {
        var events = unsafe cpw_stream_events()
        unsafe events.context = unsafe context
        unsafe events.changed = { context, state, message in
            guard let context = unsafe context, state == CPW_FAILED else { return }
            let reason = unsafe message.map { unsafe String(cString: $0) }
            unsafe PipeWireBox<Observer>.from(context).failed(reason ?? "the stream ended")
        }
        return unsafe events
    }

    static func arrived(_ context: UnsafeMutableRawPointer?, _ samples: UnsafePointer<Float>?, _ count: Int) {
        guard let context = unsafe context, let samples = unsafe samples else { return }
        unsafe PipeWireBox<Observer>.from(context).arrived(Array(UnsafeBufferPointer(start: samples, count: count)))
    }
}
