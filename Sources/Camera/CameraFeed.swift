internal import CPipeWire
public import Flourish
import MediaIO
import Platform

/// A camera as a stream that a run can read from a path: `pipewire:NAME`.
///
/// The stream is YUV4MPEG2 of a constant rate, which FFmpeg reads: https://wiki.multimedia.cx/index.php/YUV4MPEG2. A picture is
/// repeated where the camera delivers fewer, so that the stream's clock is that of the machine.
public final class CameraFeed: Sendable {
    /// The beginning of addresses.
    public static let prefix = "pipewire:"

    /// The path of the stream.
    public let path: String
    private let inbox = CameraInbox()
    private let isStopped = StopFlag()

    /// Opens the camera.
    ///
    /// - Parameters:
    ///   - camera: A node's name or a part of the camera's title; empty for the first camera.
    ///   - picture: The size and rate to ask for, and those of the stream.
    ///   - report: Receives a line for each change that concerns the user, on any thread.
    /// - Throws: ``FlourishError/Code/unavailable`` if PipeWire is missing or does not run.
    public init(
        _ camera: String, picture: CameraMode, report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(FlourishError) {
        let (reading, writing) = try CameraPipe.open()
        path = "/dev/fd/\(reading)"
        let loop = CameraLoop(
            inbox: inbox, selection: CameraSelection(camera.isEmpty ? nil : camera, inbox: inbox), ownName: "",
            picture: picture, isStopped: isStopped, report: report)
        // The first connection is made here, so that its errors end the command.
        try PipeWireConnection(CameraInbox()).close()
        StageThread { [inbox] in
            do throws(FlourishError) {
                let sink = try CameraFeedSink(picture, descriptor: writing)
                try loop.run(sink) { _ in inbox.send(.event(.readers(true))) }
            } catch {
                report(error.problem)
            }
            close(writing)
        }.detach()
    }

    /// Ends the stream.
    public func stop() {
        isStopped.set()
        inbox.send(.wake)
    }
}

/// Writes pictures as YUV4MPEG2.
private final class CameraFeedSink: CameraSink {
    private let pictures: CameraPictures
    private let rate: Double
    private let descriptor: Int32
    /// The time of the first picture, and the number of pictures since.
    private var start: Double?
    private var count = 0
    /// The time of the last picture that the camera delivered.
    private var lastTime = 0.0
    /// The time without a picture from which the last one is repeated, in seconds. A late picture is not replaced by it.
    private static let pause = 0.5

    init(_ picture: CameraMode, descriptor: Int32) throws(FlourishError) {
        pictures = try CameraPictures(picture, pool: FramePool())
        (rate, self.descriptor) = (picture.rate, descriptor)
        let rate = picture.pipeWire
        try write(
            Array(
                "YUV4MPEG2 W\(picture.width) H\(picture.height) F\(rate.rate_numerator):\(rate.rate_denominator) Ip A1:1 C420mpeg2\n"
                    .utf8))
    }

    func show(_ captured: inout CapturedPicture, at time: Double) throws(FlourishError) {
        (start, lastTime) = (start ?? time, time)
        guard due(at: time) > count else { return }
        try pictures.convert(&captured)
        try repeatPicture(until: due(at: time))
    }

    /// A stream has no cards: while it waits for its camera, it repeats the last picture.
    func write(_ text: String) throws(FlourishError) {}

    func showCard() throws(FlourishError) {
        let time = MonotonicClock.seconds
        if time - lastTime > Self.pause { try repeatPicture(until: due(at: time)) }
    }

    /// Returns the number of pictures up to a time. A picture is due if the stream's next one would be at most half a
    /// period too early.
    private func due(at time: Double) -> Int { start.map { Int((time - $0) * rate + 0.5) + 1 } ?? 0 }

    private func repeatPicture(until due: Int) throws(FlourishError) {
        while count < due {
            try write(Array("FRAME\n".utf8))
            try write(pictures.memory)
            count += 1
        }
    }

    private func write(_ bytes: [UInt8]) throws(FlourishError) {
        guard DescriptorOutput.write(bytes, to: descriptor) == 0 else {
            throw FlourishError(.outputUnavailable, "the reader of the camera has ended")
        }
    }
}
