import MediaIO
import Pipeline
import Reactions
import SessionSettings

/// Decodes single pictures of a recording, at any time.
///
/// Used by one thread at a time.
final class PictureReader {
    private let source: FrameSource

    /// - Throws: `MediaError`.
    init(_ input: String, _ configuration: Configuration, threads: Int = 1) throws {
        source = try FrameSource(
            input, InputSettings(configuration, address: input), threads: threads, readsVideoOnly: true)
    }

    /// The offsets in seconds by which the reader seeks before a time, one after the other, until it finds a picture that
    /// is not later than the time.
    /// Containers without an index, such as MPEG-TS, seek to any picture, and decoding begins at the next key frame.
    private static let searchDistances = [0, 1, 4, 16, 64, 256.0]
    /// The tolerance for time stamps that are rounded to milliseconds, in seconds.
    private static let rounding = 0.0005

    /// Returns the last key frame at or before a time, or the first one there is.
    ///
    /// - Returns: `nil` if the recording has none, or is not seekable.
    func entry(before time: Double) throws -> VideoFrame? {
        try nearest(to: time) { try entry() }
    }

    /// Returns the picture shown at a time. If the time is before all pictures, it is the first picture.
    ///
    /// - Returns: `nil` if the recording is not seekable, or has no picture there.
    func frame(at time: Double) throws -> VideoFrame? {
        try nearest(to: time) { try frame(until: time + Self.rounding) }
    }

    /// Seeks to a time, and reads a picture with `read`. If the picture is later than the time, repeats this from
    /// earlier and earlier times.
    private func nearest(to time: Double, _ read: () throws -> VideoFrame?) throws -> VideoFrame? {
        var later: VideoFrame?
        for distance in Self.searchDistances {
            guard source.seek(to: MediaTime(seconds: time - distance)) else { break }
            guard let frame = try read() else { continue }
            if frame.time.seconds <= time + Self.rounding { return frame }
            later = consume frame
        }
        return later.take()
    }

    /// Returns the next picture from which decoding can begin.
    private func entry() throws -> VideoFrame? {
        while let packet = try source.demuxer.readVideoPacket() {
            // The decoder gets this packet alone, so it does not wait for further ones.
            let only = QueuedPacket(packet)
            if let frame = try source.next({ only.packet.take() }) { return frame }
            source.restart()
        }
        return nil
    }

    /// Reads on to the last picture whose time stamp is at most `limit`, and returns it; if there is none, returns the
    /// next picture.
    private func frame(until limit: Double) throws -> VideoFrame? {
        var shown: VideoFrame?
        while let frame = try source.next() {
            if frame.time.seconds > limit {
                if let shown = shown.take() { return shown }
                return frame
            }
            shown = consume frame
        }
        return shown.take()
    }
}
