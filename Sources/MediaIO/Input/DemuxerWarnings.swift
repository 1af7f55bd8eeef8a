internal import CFFmpeg
import Platform

/// Collects FFmpeg's warnings about damaged parts of a container, which the demuxer skips. FFmpeg only logs them.
///
/// There is no other sign of such damage in Matroska, FLV and NUT: packets are missing, but the remaining packets
/// decode without errors.
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
