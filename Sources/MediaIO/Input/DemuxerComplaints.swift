internal import CFFmpeg

/// What FFmpeg's reader of a container says of places that it passes over: it goes on behind them with the next packet
/// that it can read, and tells nobody but its log.
///
/// Nothing else shows it: of Matroska, FLV and NUT the packets that stood there are missing, and what is decoded is sound.
@safe
final class DemuxerComplaints {
    private let heard: UnsafeMutablePointer<cffmpeg_complaint>
    private var first: (words: String, time: Double?)?
    private var count = 0

    init() {
        unsafe heard = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe heard.initialize(to: cffmpeg_complaint())
        unsafe heard.pointee.`self` = unsafe UnsafeRawPointer(heard)
    }

    deinit { unsafe heard.deallocate() }

    /// Listens to a context from now on. It must not outlive this.
    func listen(to context: UnsafeMutablePointer<AVFormatContext>) {
        unsafe context.pointee.opaque = UnsafeMutableRawPointer(heard)
    }

    /// Notes what was heard since the packet before, or while the file was opened.
    /// - Parameter time: when the packet that was read is shown, in seconds; `nil` where that is not known.
    func note(before time: Double?) {
        guard unsafe heard.pointee.text.0 != 0 else { return }
        let words = unsafe withUnsafeBytes(of: heard.pointee.text) { text in
            unsafe String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        }
        unsafe heard.pointee.text.0 = 0
        count += 1
        if first == nil { first = (words.filter { !$0.isNewline }, time) }
    }

    /// - Returns: `nil` where there is nothing to complain of.
    func error(_ path: String) -> MediaError? {
        guard let first else { return nil }
        let places = count == 1 ? "" : " in \(count) places"
        let time = first.time.map { "\(count == 1 ? "" : ", first") before \(Demuxer.text($0)) s" } ?? ""
        return MediaError(
            .damaged, file: path, "\(path): damaged\(places)\(time); what stands there was passed over: \(first.words)")
    }
}
