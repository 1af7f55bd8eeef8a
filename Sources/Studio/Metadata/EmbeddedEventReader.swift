import MediaIO
package import Pipeline
package import Reactions

/// Reads the events that `--embed-metadata` wrote into a video; decodes no picture.
package final class EmbeddedEventReader {
    private let demuxer: Demuxer
    private let framing: NALFraming
    private let isHEVC: Bool
    /// What was met but is shown later than what may still come: pictures are stored in another order.
    private var waiting: [(time: MediaTime, line: String)] = []
    /// Nothing that is still to come is shown before it.
    private var reached: MediaTime?
    private var hasEnded = false
    private var lastLine: String?

    /// Opens a video.
    ///
    /// - Throws: ``FlourishError``; ``FlourishError/Code/inputUnusable`` where it is not H.264 or HEVC.
    package init(_ input: String, configuration: Configuration = Configuration()) throws(FlourishError) {
        do {
            demuxer = try Demuxer.open(input, configuration)
        } catch {
            throw FlourishError(describing: error)
        }
        let codec = demuxer.video.codec
        guard codec == "h264" || codec == "hevc" else {
            throw FlourishError(
                .inputUnusable, "\(input): events can be in H.264 and HEVC video only, not in \(codec)")
        }
        isHEVC = codec == "hevc"
        framing = demuxer.videoFraming
    }

    /// The next event as a line of JSON; `nil` at the end. What is repeated is told once.
    package func nextLine() throws(FlourishError) -> String? {
        while true {
            if let line = takeReady() { return line }
            if hasEnded { return nil }
            do throws(MediaError) { try readOn() } catch { throw FlourishError(describing: error) }
        }
    }

    private func readOn() throws(MediaError) {
        guard let packet = try demuxer.readPacket() else {
            hasEnded = true
            return
        }
        // AVI tells of no picture when it is shown: there they come in the order in which they are stored.
        guard packet.streamIndex == demuxer.video.index, let time = packet.presentationTime ?? packet.decodingTime
        else {
            return
        }
        reached = packet.decodingTime ?? time
        let messages = UserDataMessage.messages(
            in: packet, framing: framing, isHEVC: isHEVC, uuid: EmbeddedMetadata.uuid)
        for message in messages {
            let line = String(decoding: message, as: UTF8.self)
            // Somebody else may have written it: a line of ours has no line break.
            guard line.hasPrefix("{"), !line.contains(where: \.isNewline) else { continue }
            waiting.append((time, line))
            waiting.sort { $0.time < $1.time }
        }
    }

    private func takeReady() -> String? {
        while let first = waiting.first, hasEnded || reached.map({ first.time <= $0 }) ?? false {
            waiting.removeFirst()
            guard first.line != lastLine else { continue }
            lastLine = first.line
            return first.line
        }
        return nil
    }
}
