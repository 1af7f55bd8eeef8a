import MediaIO
import Platform
import Reactions

/// Provides the times at which someone speaks to the analysis of a run.
///
/// The sound of a recording is read before its pictures, since a file may store sound later than the pictures of the same
/// time. The sound of a stream is analysed as it arrives.
struct SpeechAnalysis: Sendable {
    private let timeline: SpeechTimeline
    /// The recording to read; `nil` for a stream.
    private let recording: RunPass?

    /// - Returns: nil if the pass does not depend on speech.
    init?(_ pass: RunPass) {
        if pass.configuration.speechPolicy == .allow { return nil }
        if !pass.detectsHands { return nil }
        let isRecording = !pass.configuration.isLive && RecordedFile.size(of: pass.input) != nil
        timeline = SpeechTimeline(keepsAll: isRecording)
        recording = isRecording ? pass : nil
    }

    /// Reads the sound of a recording. Damaged sound counts as silence; the reader of the pictures reports damage.
    ///
    /// - Returns: The times of speech. Those of a stream are added later.
    func run(_ interrupt: InterruptFlag) -> SpeechTimeline {
        guard let recording,
            let demuxer = try? recording.openInput(interrupt),
            let reader = SpeechReader(demuxer, timeline)
        else { return timeline }
        demuxer.readOnly(stream: reader.streamIndex)
        while !interrupt.isRaised, let packet = try? demuxer.readPacket() { reader.add(packet) }
        reader.finish()
        return timeline
    }

    /// Returns the reader of a stream's sound; nil for a recording.
    func reader(_ demuxer: Demuxer) -> SpeechReader? {
        recording == nil ? SpeechReader(demuxer, timeline) : nil
    }
}
