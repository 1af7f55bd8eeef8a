import MediaIO
import Platform

/// Reads a recording again whose packets are known, and makes sure that they still are what they were.
struct SurveyedReader: ~Copyable {
    let demuxer: Demuxer
    private let survey: VideoSurvey
    private let interrupt: InterruptFlag
    /// How many of the video's packets were read.
    private(set) var count = 0
    /// Whether the run was stopped before the end.
    private(set) var wasInterrupted = false

    init(_ demuxer: Demuxer, survey: VideoSurvey, interrupt: InterruptFlag) {
        self.demuxer = demuxer
        self.survey = survey
        self.interrupt = interrupt
    }

    /// The number of the video's packet that was read last.
    var number: Int { count - 1 }

    /// The next packet of any stream; `nil` at the end, and where the run is stopped.
    ///
    /// - Throws: `MediaError`; `SpliceObstacle` where the recording is not what it was.
    mutating func read() throws -> Packet? {
        guard let packet = try readAny() else {
            if !wasInterrupted, count < survey.pictures.count { throw Self.changed }
            return nil
        }
        guard packet.streamIndex == demuxer.video.index else { return packet }
        guard count < survey.pictures.count,
            (packet.presentationTime ?? packet.decodingTime)?.value == survey.pictures[count].presentationTime,
            packet.size == Int(survey.pictures[count].size)
        else { throw Self.changed }
        count += 1
        return packet
    }

    private static let changed = SpliceObstacle("it changed while it was read")

    private mutating func readAny() throws(MediaError) -> Packet? {
        do throws(MediaError) {
            if !interrupt.isRaised, let packet = try demuxer.readPacket() { return packet }
        } catch {
            guard error.code == .interrupted else { throw error }
        }
        wasInterrupted = interrupt.isRaised
        return nil
    }
}
