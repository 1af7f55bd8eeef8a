import MediaIO
package import Pipeline
package import Reactions

/// Reads the events that `--embed-metadata` wrote into a video, without decoding pictures. Calls block. Used by one
/// thread at a time.
package final class EmbeddedEventReader {
    private let demuxer: Demuxer
    private let framing: NALFraming
    private let codec: NALCodec
    /// The events that were read, but may be preceded by events of later packets, because pictures are stored in
    /// decoding order.
    private var waiting: [(time: MediaTime, line: String)] = []
    /// The minimum presentation time of the packets that follow.
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
        guard let codec = NALCodec(rawValue: demuxer.video.codec) else {
            throw FlourishError(
                .inputUnusable, "\(input): only H.264 and HEVC video can contain events, not \(demuxer.video.codec)")
        }
        self.codec = codec
        framing = demuxer.videoFraming
    }

    /// Returns the next event as a line of JSON; `nil` at the end. Repeated events are returned once.
    package func nextLine() throws(FlourishError) -> String? {
        while true {
            if let line = dequeue() { return line }
            if hasEnded { return nil }
            do throws(MediaError) { try readNext() } catch { throw FlourishError(describing: error) }
        }
    }

    private func readNext() throws(MediaError) {
        guard let packet = try demuxer.readPacket() else {
            hasEnded = true
            return
        }
        // AVI has no presentation times, so its events are in decoding order.
        guard packet.streamIndex == demuxer.video.index, let time = packet.presentationTime ?? packet.decodingTime
        else {
            return
        }
        reached = packet.decodingTime ?? time
        let messages = UserDataMessage.messages(
            in: packet.bytes, framing: framing, codec: codec, uuid: EmbeddedMetadata.uuid)
        for message in messages {
            let line = String(decoding: message, as: UTF8.self)
            // Another program may have written the message. Lines of Flourish contain no line break.
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
