import MediaIO
package import Pipeline
import Raster
package import Reactions

/// The properties in a recording's header, which `flourish review` shows.
package struct RecordingFacts: Sendable, Hashable {
    /// FFmpeg's name of the container, such as `mov,mp4,m4a,3gp,3g2,mj2`.
    package var container: String
    /// FFmpeg's name of the video's codec.
    package var codec: String
    /// The upright picture's width in pixels.
    package var width: Int
    /// The upright picture's height in pixels.
    package var height: Int
    /// The frame rate in frames a second; `nil` if the recording does not declare one.
    package var frameRate: Double?
    /// The time of the first picture, in seconds on the recording's clock.
    package var startTime: Double
    /// The time that players show as 0, in seconds on the recording's clock. This time is before ``startTime`` if sound
    /// begins before the first picture.
    package var clockStart: Double
    /// The duration in seconds from the first picture on; `nil` if the recording does not declare it.
    package var duration: Double?
    package var hasSound: Bool

    /// Reads the header.
    /// - Throws: ``FlourishError`` if it is no video.
    package init(of input: String, _ configuration: Configuration) throws(FlourishError) {
        do {
            let demuxer = try Demuxer.open(input, configuration)
            if demuxer.isStillImage {
                throw FlourishError(.inputUnusable, "\(input): is an image; only videos can be reviewed")
            }
            let (video, rate) = (demuxer.video, demuxer.video.averageFrameRate)
            container = demuxer.formatName
            codec = video.codec
            width = Int(video.geometry.uprightWidth.rounded())
            height = Int(video.geometry.uprightHeight.rounded())
            frameRate = rate.isPositive ? rate.value : nil
            let opening = video.startTime?.seconds ?? demuxer.startTime?.seconds ?? 0
            let clock = demuxer.startTime?.seconds ?? opening
            (startTime, clockStart) = (opening, clock)
            duration = demuxer.duration.map { clock + $0.seconds - opening } ?? video.duration?.seconds
            hasSound = demuxer.streams.contains { $0.kind == .audio }
        } catch {
            throw FlourishError(describing: error)
        }
    }
}

/// Measures the peaks of a recording's sound over time, for the waveform in `flourish review`. Blocks while the
/// recording is read.
package enum PeakFinder {
    /// The number of intervals in a second.
    package static let rate = 50.0
    /// The maximum number of intervals, which cover 23 hours; later sound has no peaks.
    private static let maximum = 1 << 22

    /// Decodes all sound of a recording, and nothing else.
    ///
    /// - Returns: The peak of each interval, 0…255; empty without sound.
    /// - Throws: ``FlourishError``.
    package static func peaks(
        of input: String, _ configuration: Configuration, interrupt: Interruption
    ) throws(FlourishError) -> [UInt8] {
        do {
            let demuxer = try Demuxer.open(input, configuration, interrupt: interrupt.flag)
            guard let meter = SoundMeter(demuxer, rate: rate, maximum: maximum) else { return [] }
            demuxer.readOnly(stream: meter.streamIndex)
            while let packet = try demuxer.readPacket() { meter.add(packet) }
            meter.finish()
            return meter.peaks
        } catch {
            throw FlourishError(describing: error)
        }
    }
}

/// Interrupts the reading of a recording.
package final class Interruption: Sendable {
    let flag = InterruptFlag()

    package init() {}

    /// Requests the interruption.
    package func raise() { flag.raise() }
}
