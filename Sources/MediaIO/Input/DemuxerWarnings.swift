internal import CFFmpeg
import Platform

/// Collects FFmpeg's warnings about parts of a container that its demuxer skips: damaged parts, segments of a playlist
/// that are missing, and streams that it does not read. FFmpeg only logs them.
///
/// There is no other sign of such a loss in Matroska, FLV, NUT and HLS: packets are missing, but the remaining packets
/// decode without errors. The log's callback is `cffmpeg_hear_log` in `CFFmpeg/shim.h`.
@safe
final class DemuxerWarnings {
    private let warning: UnsafeMutablePointer<cffmpeg_complaint>
    private var first: (words: String, time: Double?)?
    private var count = 0

    init() {
        unsafe warning = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe warning.initialize(to: cffmpeg_complaint())
        unsafe warning.pointee.`self` = unsafe UnsafeRawPointer(warning)
    }

    deinit { unsafe warning.deallocate() }

    /// Receives the warnings of a context from now on. The context must not outlive this object.
    func attach(to context: UnsafeMutablePointer<AVFormatContext>) {
        unsafe context.pointee.opaque = UnsafeMutableRawPointer(warning)
    }

    /// Discards the warnings of opening a container, except about a playlist. Demuxers log the parts of a header that
    /// they do not know as errors, too.
    func discardOpening(of format: String) {
        if format != "hls" { unsafe warning.pointee.text.0 = 0 }
    }

    /// The streams that FFmpeg does not read, in its words, such as the codec `S_TEXT/WEBVTT` or the address of a
    /// playlist of subtitles.
    var unread: [String] {
        let text = unsafe withUnsafeBytes(of: warning.pointee.unread) { text in
            unsafe String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        }
        return text.split(separator: "\n").map { line in
            let words = line.split(separator: " ").last ?? line
            return String(words.reversed().drop { ".)".contains($0) }.reversed())
        }
    }

    /// Records the warnings since the previous packet, or since the file was opened.
    /// - Parameter time: The presentation time of the packet that was read, in seconds; `nil` if unknown.
    func collect(before time: Double?) {
        guard unsafe warning.pointee.text.0 != 0 else { return }
        let words = unsafe withUnsafeBytes(of: warning.pointee.text) { text in
            unsafe String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        }
        unsafe warning.pointee.text.0 = 0
        count += 1
        if first == nil { first = (words.filter { !$0.isNewline }, time) }
    }

    /// - Returns: `nil` if there was no warning.
    func error(_ path: String) -> MediaError? {
        guard let first else { return nil }
        let places = count == 1 ? "" : " in \(count) places"
        let time = first.time.map { "\(count == 1 ? "" : ", first") before \(Demuxer.text($0)) s" } ?? ""
        return MediaError(
            .damaged, file: path, "\(path): damaged\(places)\(time); the data there was skipped: \(first.words)")
    }
}
