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
    private var source: FrameSource
    private var demuxer: Demuxer { source.demuxer }

    /// What is wrong with what was looked at.
    private var damage: [DecodingDamage] = []
    /// Whether a stretch was gone through: moments of it have no other damage.
    private var hasScanned = false
    /// Why the recording ends before its time, where all of it was read.
    private(set) var endedEarly: MediaError?

    /// So many seconds before an instant decoding begins at the latest, for the frames before it.
    private static let lead = 0.6
    /// So many seconds before a stretch it is tried to decode from: some containers lead to a packet from which nothing can
    /// be, or that is shown later.
    private static let scanLeads = [0.0, 10]
    /// Time stamps may be whole milliseconds.
    private static let rounding = 0.0005

    /// - Throws: `MediaError`.
    init(_ input: String, _ configuration: Configuration, interrupt: InterruptFlag) throws {
        (self.input, self.interrupt) = (input, interrupt)
        settings = InputSettings(configuration, address: input)
        source = try Self.open(input, settings, interrupt)
    }

    /// What the file tells of itself.
    var metadata: [String: String] { demuxer.metadata }

    /// When the first picture is shown, on the file's clock in seconds.
    var start: Double { (demuxer.video.startTime ?? demuxer.startTime)?.seconds ?? 0 }

    /// How long the recording is, in seconds; `nil` where it does not say.
    var duration: Double? { (demuxer.duration ?? demuxer.video.duration)?.seconds }

    /// What is to be told of the recording: one line each.
    var warnings: [String] {
        var report = DamageReport()
        return report.add(damage, isClean: true).map(\.message) + (endedEarly.map { [$0.description] } ?? [])
    }

    /// The frame that is shown at an instant, and up to so many before and after it.
    ///
    /// - Parameter time: Seconds from the first picture on.
    /// - Returns: `nil` where the recording has no picture by then.
    /// - Throws: `MediaError`.
    func moment(at time: Double, before: Int, after: Int) throws -> CapturedMoment? {
        let instant = start + time
        if source.seek(to: MediaTime(seconds: max(instant - Self.lead, 0))) {
            if let found = try read(to: instant, before: before, after: after) { return found }
        }
        // Where the container cannot be gone about in, or led beyond the instant, all is read.
        source = try Self.open(input, settings, interrupt)
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
        let found = try read { frame in
            let isLater = frame.time.seconds > instant + Self.rounding
            if isLater, frames.isEmpty, !isFromStart { return false }
            if isLater, shown == nil { shown = max(frames.count - 1, 0) }
            frames.append(SharedPicture(frame))
            if let shown { return frames.count < shown + 1 + after }
            if frames.count > before + 1 { frames.removeFirst() }
            return true
        }
        // What is wrong before these frames nobody sees.
        guard let first = frames.first?.frame.time.seconds else { return nil }
        if !hasScanned { damage = found.filter { $0.time.map { $0.seconds >= first - Self.rounding } ?? isFromStart } }
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
        hasScanned = true
        for lead in Self.scanLeads where start > 0 {
            guard source.seek(to: MediaTime(seconds: self.start + max(start - lead, 0))) else { break }
            if try scanOn(from: start, to: end, isFromStart: false, body) { return }
        }
        source = try Self.open(input, settings, interrupt)
        _ = try scanOn(from: start, to: end, isFromStart: true, body)
    }

    /// Goes through a stretch from where the demuxer is.
    ///
    /// - Returns: `false` where what can be decoded begins after the stretch does.
    private func scanOn(
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

    /// Decodes until `body` says that it is enough, or all is read.
    ///
    /// - Returns: the damage that was met.
    private func read(_ body: (consuming VideoFrame) throws -> Bool) throws -> [DecodingDamage] {
        var last: MediaTime?
        var isWhole = false
        _ = source.decoder.takeDamage()
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
        if isWhole { try noteEnd(after: last) }
        return source.decoder.takeDamage()
    }

    /// Notes whether the recording breaks off. Since the video alone was read, and sound may last longer, the end is read
    /// again with all streams before that is said; of what cannot be read again nobody knows.
    private func noteEnd(after last: MediaTime?) throws {
        guard endedEarly == nil, demuxer.endedEarly != nil else { return }
        guard demuxer.streams.count > 1 else {
            endedEarly = demuxer.endedEarly
            return
        }
        guard RecordedFile.size(of: input) != nil else { return }
        let whole = try FrameSource(input, settings, interrupt: interrupt).demuxer
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
