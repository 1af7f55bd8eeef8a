/// What reading all packets of a recording's video tells: what it is known by again, and where it can be cut.
package struct RecordingSurvey: Sendable, Hashable {
    /// See ``VideoFingerprint``.
    package var fingerprint: String
    package var video: VideoSurvey
}

/// Makes a ``RecordingSurvey`` of packets that somebody reads anyway.
///
/// Used by one thread at a time.
package final class RecordingSurveyor {
    private let fingerprint: VideoFingerprint
    private var video: VideoSurvey
    private let index: Int

    /// - throws: ``MediaError`` of the code `internal` where there is no memory.
    package init(_ demuxer: Demuxer) throws(MediaError) {
        fingerprint = try VideoFingerprint(path: demuxer.path)
        video = VideoSurvey(demuxer)
        index = demuxer.video.index
    }

    /// Reads a recording to its end; decodes nothing.
    ///
    /// - throws: what opening and reading a ``Demuxer`` throws.
    package static func survey(
        _ path: String, settings: InputSettings = InputSettings(), interrupt: InterruptFlag? = nil
    ) throws(MediaError) -> RecordingSurvey {
        let demuxer = try Demuxer(path: path, settings: settings, interrupt: interrupt)
        let surveyor = try RecordingSurveyor(demuxer)
        while let packet = try demuxer.readPacket() { surveyor.add(packet) }
        return surveyor.finish()
    }

    /// Notes a packet of any stream.
    package func add(_ packet: borrowing Packet) {
        guard packet.streamIndex == index else { return }
        fingerprint.add(packet)
        video.add(packet)
    }

    /// Whether decoding can begin with the packet that was added last, but for pictures that are shown before it.
    package var endsInEntry: Bool { video.pictures.last?.role == .entry || video.pictures.last?.role == .openEntry }

    /// What all that was added tells. Nothing is added after it.
    package func finish() -> RecordingSurvey {
        RecordingSurvey(fingerprint: fingerprint.finish(), video: video)
    }
}
