import MediaIO
import Pipeline
import Reactions

/// Reads the frames around instants of a recording for a ``RecordingPhotographer``.
///
/// Used by one thread at a time.
final class MomentReader {
    private let input: String
    private let settings: InputSettings
    private let interrupt: InterruptFlag
    private var source: FrameSource
    private var demuxer: Demuxer { source.demuxer }

    /// The damage in the parts that were read.
    private var damage: [DecodingDamage] = []
    /// True if an interval was scanned. ``damage`` then covers the whole interval, and moments within it add nothing.
    private var hasScanned = false
    /// The error for a truncated recording; `nil` if it is complete, or its end was not read.
    private(set) var endedEarly: MediaError?

    /// The minimum time in seconds before an instant at which decoding begins, for the frames before the instant.
    private static let lead = 0.6
    /// The times in seconds before an interval at which decoding is attempted. Some containers seek to a packet that is
    /// shown later, or at which decoding cannot begin.
    private static let scanLeads = [0.0, 10]
    /// The tolerance for time stamps that are rounded to milliseconds, in seconds.
    private static let rounding = 0.0005

    /// - Throws: `MediaError`.
    init(_ input: String, _ configuration: Configuration, interrupt: InterruptFlag) throws {
        (self.input, self.interrupt) = (input, interrupt)
        settings = InputSettings(configuration, address: input)
        source = try Self.open(input, settings, interrupt)
    }

    /// The file's metadata.
    var metadata: [String: String] { demuxer.metadata }

    /// The time of the first picture, on the file's clock in seconds.
    var start: Double { (demuxer.video.startTime ?? demuxer.startTime)?.seconds ?? 0 }

    /// The recording's duration, in seconds; `nil` if it does not declare one.
    var duration: Double? { (demuxer.duration ?? demuxer.video.duration)?.seconds }

    /// The warnings about the recording: one line each.
    var warnings: [String] {
        var report = DamageReport()
        return report.add(damage, isClean: true).map(\.message) + (endedEarly.map { [$0.description] } ?? [])
    }

    /// Returns the frame shown at an instant, and the given numbers of frames before and after it.
    ///
    /// - Parameter time: The seconds from the first picture on.
    /// - Returns: `nil` if the recording has no picture by then.
    /// - Throws: `MediaError`.
    func moment(at time: Double, before: Int, after: Int) throws -> CapturedMoment? {
        let instant = start + time
        if source.seek(to: MediaTime(seconds: max(instant - Self.lead, 0))) {
            if let found = try read(to: instant, before: before, after: after) { return found }
        }
        // If the container is not seekable, or the seek went beyond the instant, everything is read.
        source = try Self.open(input, settings, interrupt)
        return try read(to: instant, before: before, after: after, isFromStart: true)
    }

    /// Continues reading up to an instant.
    ///
    /// - Returns: `nil` if the frames that were read begin after the instant.
    private func read(
        to instant: Double, before: Int, after: Int, isFromStart: Bool = false
    ) throws -> CapturedMoment? {
        var frames: [SharedPicture] = []
        // The index of the shown frame.
        var shown: Int?
        let found = try read { frame in
            let isLater = frame.time.seconds > instant + Self.rounding
            if isLater, frames.isEmpty, !isFromStart { return false }
            if isLater, shown == nil { shown = max(frames.count - 1, 0) }
            frames.append(SharedPicture(frame))
            if let shown { return frames.count < shown + 1 + after }
            if frames.count > before + 1 { frames.removeFirst() }
            return true
        }
        // Damage before these frames is not visible in them.
        guard let first = frames.first?.frame.time.seconds else { return nil }
        if !hasScanned { damage = found.filter { $0.time.map { $0.seconds >= first - Self.rounding } ?? isFromStart } }
        return CapturedMoment(frames: frames, reference: min(shown ?? frames.count - 1, frames.count - 1))
    }

    /// Scans an interval.
    ///
    /// - Parameters:
    ///   - end: The recording's end if `nil`.
    ///   - body: Returns whether to continue.
    /// - Throws: `MediaError`.
    func scan(from start: Double, to end: Double?, _ body: (borrowing VideoFrame, _ time: Double) throws -> Bool) throws
    {
        hasScanned = true
        for lead in Self.scanLeads where start > 0 {
            guard source.seek(to: MediaTime(seconds: self.start + max(start - lead, 0))) else { break }
            if try scanFurther(from: start, to: end, isFromStart: false, body) { return }
        }
        source = try Self.open(input, settings, interrupt)
        _ = try scanFurther(from: start, to: end, isFromStart: true, body)
    }

    /// Scans an interval from the demuxer's position.
    ///
    /// - Returns: `false` if decodable frames begin after the interval does.
    private func scanFurther(
        from start: Double, to end: Double?, isFromStart: Bool,
        _ body: (borrowing VideoFrame, _ time: Double) throws -> Bool
    ) throws -> Bool {
        let first = self.start
        var hasBegun = isFromStart
        let found = try read { frame in
            let time = frame.time.seconds - first
            if !hasBegun, time > start + Self.rounding { return false }
            hasBegun = true
            if let end, time >= end - Self.rounding { return false }
            return time < start - Self.rounding ? true : try body(frame, time)
        }
        guard hasBegun else { return false }
        damage = found.filter { $0.time.map { $0.seconds - first >= start - Self.rounding } ?? (start <= 0) }
        return true
    }

    /// Decodes until `body` returns `false`, or everything is read.
    ///
    /// - Returns: The damage found.
    private func read(_ body: (consuming VideoFrame) throws -> Bool) throws -> [DecodingDamage] {
        var last: MediaTime?
        var isWhole = false
        _ = source.decoder.dequeueDamage()
        func nextPacket() throws -> Packet? {
            guard let packet = try demuxer.readVideoPacket() else {
                isWhole = true
                return nil
            }
            last = packet.decodingTime ?? packet.presentationTime
            return packet
        }
        while let frame = try source.next(nextPacket) {
            guard try body(frame) else { break }
        }
        if isWhole { try recordEnd(after: last) }
        return source.decoder.dequeueDamage()
    }

    /// Records whether the recording is truncated. Only the video was read, and sound may last longer. So the end is
    /// read again with all streams. The result is unknown for an input that cannot be read again.
    private func recordEnd(after last: MediaTime?) throws {
        guard endedEarly == nil, demuxer.endedEarly != nil else { return }
        guard demuxer.streams.count > 1 else {
            endedEarly = demuxer.endedEarly
            return
        }
        guard RecordedFile.size(of: input) != nil else { return }
        let whole = try Demuxer(path: input, settings: settings, interrupt: interrupt)
        if let last { _ = whole.seek(to: last) }
        while try whole.readPacket() != nil {}
        endedEarly = whole.endedEarly
    }

    private static func open(
        _ input: String, _ settings: InputSettings, _ interrupt: InterruptFlag
    ) throws -> FrameSource {
        try FrameSource(input, settings, readsVideoOnly: true, interrupt: interrupt)
    }
}
