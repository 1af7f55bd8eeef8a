import MediaIO
package import Pipeline
import Raster
package import Reactions

/// The properties in a recording's header for a reviewer.
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
    /// The time at which players begin to count, on the same clock: sound may begin before the first picture.
    package var clockStart: Double
    /// The seconds from the first picture on; `nil` if the recording does not declare them.
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

/// Measures the peaks of a recording's sound over time, for a picture of its waveform.
package enum PeakFinder {
    /// The number of intervals in a second.
    package static let rate = 50.0
    /// The greatest number of intervals kept: a day and more would not fit a screen.
    private static let most = 1 << 22

    /// Decodes all of a recording's sound, and nothing else.
    ///
    /// - Returns: The peak of each interval, 0…255; empty without sound.
    /// - Throws: ``FlourishError``.
    package static func peaks(
        of input: String, _ configuration: Configuration, interrupt: Interruption
    ) throws(FlourishError) -> [UInt8] {
        do {
            let demuxer = try Demuxer.open(input, configuration, interrupt: interrupt.flag)
            guard let meter = SoundMeter(demuxer, rate: rate, most: most) else { return [] }
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

/// Reads the events that `--embed-metadata` wrote into a video, without decoding pictures.
package final class EmbeddedEventReader {
    private let demuxer: Demuxer
    private let framing: NALFraming
    private let isHEVC: Bool
    /// The events that were read but may be preceded by later packets: pictures are stored in decoding order.
    private var waiting: [(time: MediaTime, line: String)] = []
    /// The least presentation time of the packets still to come.
    private var reached: MediaTime?
    private var hasEnded = false
    private var lastLine: String?

    /// Opens a video.
    ///
    /// - Throws: ``FlourishError``; ``FlourishError/Code/inputUnusable`` if it is not H.264 or HEVC.
    package init(_ input: String, configuration: Configuration = Configuration()) throws(FlourishError) {
        do {
            demuxer = try Demuxer.open(input, configuration)
        } catch {
            throw FlourishError(describing: error)
        }
        let codec = demuxer.video.codec
        guard codec == "h264" || codec == "hevc" else {
            throw FlourishError(
                .inputUnusable, "\(input): only H.264 and HEVC video can contain events, not \(codec)")
        }
        isHEVC = codec == "hevc"
        framing = demuxer.videoFraming
    }

    /// Returns the next event as a line of JSON; `nil` at the end. Repeated events are returned once.
    package func nextLine() throws(FlourishError) -> String? {
        while true {
            if let line = dequeue() { return line }
            if hasEnded { return nil }
            do throws(MediaError) { try readOn() } catch { throw FlourishError(describing: error) }
        }
    }

    private func readOn() throws(MediaError) {
        guard let packet = try demuxer.readPacket() else {
            hasEnded = true
            return
        }
        // AVI has no presentation times: its events come in decoding order.
        guard packet.streamIndex == demuxer.video.index, let time = packet.presentationTime ?? packet.decodingTime
        else {
            return
        }
        reached = packet.decodingTime ?? time
        let messages = UserDataMessage.messages(
            in: packet, framing: framing, isHEVC: isHEVC, uuid: EmbeddedMetadata.uuid)
        for message in messages {
            let line = String(decoding: message, as: UTF8.self)
            // Another program may have written it: Flourish's lines have no line break.
            guard line.hasPrefix("{"), !line.contains(where: \.isNewline) else { continue }
            waiting.append((time, line))
            waiting.sort { $0.time < $1.time }
        }
    }

    private func dequeue() -> String? {
        while let first = waiting.first, hasEnded || reached.map({ first.time <= $0 }) ?? false {
            waiting.removeFirst()
            guard first.line != lastLine else { continue }
            lastLine = first.line
            return first.line
        }
        return nil
    }
}
