import MediaIO
import Pipeline
import Reactions

/// Reads what was to be seen around instants of a recording.
///
/// Used by one thread at a time.
final class MomentReader {
    private let input: String
    private let settings: InputSettings
    private let interrupt: InterruptFlag
    private var demuxer: Demuxer
    private var decoder: VideoDecoder

    /// So many seconds before an instant decoding begins at the latest, for the frames before it.
    private static let lead = 0.6
    /// Time stamps may be whole milliseconds.
    private static let rounding = 0.0005

    /// - Throws: `MediaError`.
    init(_ input: String, _ configuration: Configuration, interrupt: InterruptFlag) throws {
        (self.input, self.interrupt) = (input, interrupt)
        settings = InputSettings(configuration, address: input)
        (demuxer, decoder) = try Self.open(input, settings, interrupt)
    }

    /// What the file tells of itself.
    var metadata: [String: String] { demuxer.metadata }

    /// When the first picture is shown, on the file's clock in seconds.
    var start: Double { (demuxer.video.startTime ?? demuxer.startTime)?.seconds ?? 0 }

    /// How long the recording is, in seconds; `nil` where it does not say.
    var duration: Double? { (demuxer.duration ?? demuxer.video.duration)?.seconds }

    /// The frame that is shown at an instant, and up to so many before and after it.
    ///
    /// - Parameter time: Seconds from the first picture on.
    /// - Returns: `nil` where the recording has no picture by then.
    /// - Throws: `MediaError`.
    func moment(at time: Double, before: Int, after: Int) throws -> CapturedMoment? {
        let instant = start + time
        if demuxer.seek(to: MediaTime(seconds: max(instant - Self.lead, 0))) {
            decoder.leap()
            if let found = try read(to: instant, before: before, after: after) { return found }
        }
        // Where the container cannot be gone about in, or led beyond the instant, all is read.
        (demuxer, decoder) = try Self.open(input, settings, interrupt)
        return try read(to: instant, before: before, after: after, isFromStart: true)
    }

    /// Reads on to an instant.
    ///
    /// - Returns: `nil` where what was read begins after it.
    private func read(
        to instant: Double, before: Int, after: Int, isFromStart: Bool = false
    ) throws -> CapturedMoment? {
        var frames: [SharedPicture] = []
        // Where the frame that is shown stands among them.
        var shown: Int?
        try read { frame in
            let isLater = frame.time.seconds > instant + Self.rounding
            if isLater, frames.isEmpty, !isFromStart { return false }
            if isLater, shown == nil { shown = max(frames.count - 1, 0) }
            frames.append(SharedPicture(frame))
            if let shown { return frames.count < shown + 1 + after }
            if frames.count > before + 1 { frames.removeFirst() }
            return true
        }
        guard !frames.isEmpty else { return nil }
        return CapturedMoment(frames: frames, reference: min(shown ?? frames.count - 1, frames.count - 1))
    }

    /// Goes through a stretch.
    ///
    /// - Parameters:
    ///   - end: Of the recording if `nil`.
    ///   - body: Says whether to go on.
    /// - Throws: `MediaError`.
    func scan(from start: Double, to end: Double?, _ body: (borrowing VideoFrame, _ time: Double) throws -> Bool) throws
    {
        let first = self.start
        if start > 0, demuxer.seek(to: MediaTime(seconds: first + start)) {
            decoder.leap()
        } else {
            (demuxer, decoder) = try Self.open(input, settings, interrupt)
        }
        try read { frame in
            let time = frame.time.seconds - first
            if let end, time >= end - Self.rounding { return false }
            return time < start - Self.rounding ? true : try body(frame, time)
        }
    }

    /// Decodes until `body` says that it is enough, or all is read.
    private func read(_ body: (consuming VideoFrame) throws -> Bool) throws {
        while let packet = try demuxer.readPacket() {
            guard packet.streamIndex == demuxer.video.index else { continue }
            try decoder.send(packet)
            while let frame = try decoder.receive() {
                guard try body(frame) else { return }
            }
        }
        try decoder.finish()
        while let frame = try decoder.receive() {
            guard try body(frame) else { return }
        }
    }

    private static func open(
        _ input: String, _ settings: InputSettings, _ interrupt: InterruptFlag
    ) throws -> (Demuxer, VideoDecoder) {
        let demuxer = try Demuxer(path: input, settings: settings, interrupt: interrupt)
        let decoder = try VideoDecoder(demuxer)
        demuxer.readOnly(stream: demuxer.video.index)
        return (demuxer, decoder)
    }
}
