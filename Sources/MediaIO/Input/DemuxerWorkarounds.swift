internal import CFFmpeg
import Platform

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

/// Joins frames that are never shown with the shown frame after them, so that each packet shows one picture.
///
/// VP9 keeps both in one packet, a superframe, and AV1 in one temporal unit. Some writers store hidden frames in packets
/// of their own. Muxers of MP4 and Matroska join VP9's then, and the output has fewer packets than the input.
struct HiddenFrameJoiner {
    private enum Codec { case vp9, av1 }

    private let codec: Codec
    /// The content of hidden frames that wait for a shown one.
    private var hidden: [[UInt8]] = []
    /// A superframe has at most eight frames.
    private static let mostHidden = 7

    /// - Parameter codec: FFmpeg's name.
    /// - Returns: `nil` where the codec has no hidden frames, or where decoders expect them in packets of their own (VP8).
    init?(codec: String) {
        switch codec {
        case "vp9": self.codec = .vp9
        case "av1": self.codec = .av1
        default: return nil
        }
    }

    /// Drops the frames that wait, after a seek.
    mutating func reset() { hidden = [] }

    /// Adds the next packet of the stream.
    ///
    /// Frames that wait for a key frame are dropped, since nothing after it refers to them; so are those at the end.
    ///
    /// - Returns: the packet with the hidden frames before it; `nil` where it has nothing but hidden frames.
    /// - throws: ``MediaError`` of the code `internal` where there is no memory.
    mutating func add(_ packet: consuming Packet) throws(MediaError) -> Packet? {
        if hidden.count < Self.mostHidden, packet.withBytes({ isHidden($0) }) {
            hidden.append(packet.bytes)
            return nil
        }
        if hidden.isEmpty { return packet }
        defer { hidden = [] }
        if packet.withBytes({ isKeyFrame($0) }) { return packet }
        let frames = codec == .vp9 ? (hidden + [packet.bytes]).flatMap(VPXHeader.frames(of:)) : hidden + [packet.bytes]
        // No superframe holds more: the hidden frames are of no use without it.
        guard codec == .av1 || frames.count <= Self.mostHidden + 1 else { return packet }
        return try packet.replacing(codec == .vp9 ? VPXHeader.superframe(of: frames) : AV1Packet.joined(frames))
    }

    private func isHidden(_ bytes: Span<UInt8>) -> Bool {
        switch codec {
        case .vp9: !bytes.isEmpty && VPXHeader.role(ofVP9: bytes) == nil
        case .av1: AV1Packet(bytes).isHidden
        }
    }

    /// Returns whether decoding can begin with the packet.
    private func isKeyFrame(_ bytes: Span<UInt8>) -> Bool {
        switch codec {
        case .vp9: VPXHeader.role(ofVP9: bytes) == .entry
        case .av1: AV1Packet(bytes).role == .entry
        }
    }
}

/// The names of tracks in files of MP4 and QuickTime, in the box `name` of a track's user data.
///
/// libavformat writes that box from a track's title, as OBS Studio and HandBrake do, but reads the handler's name only.
extension Demuxer {
    /// The longest name of a track that is read.
    private static let longestTrackName = 1024

    /// Gives each stream without a title the name of its track.
    ///
    /// - Returns: FFmpeg's code, below 0 where there is no memory for them.
    @unsafe
    static func addTrackNames(to context: UnsafeMutablePointer<AVFormatContext>, file: String) -> Int32 {
        guard unsafe String(cString: context.pointee.iformat.pointee.name).hasPrefix("mov"),
            let descriptor = try? RawFile.open(Array(file.utf8), O_RDONLY)
        else { return 0 }
        defer { close(descriptor) }
        let names = trackNames(in: descriptor)
        for index in 0..<Int(unsafe context.pointee.nb_streams) {
            let stream = unsafe context.pointee.streams[index]!
            guard let name = names[unsafe stream.pointee.id] else { continue }
            let status = unsafe av_dict_set(&stream.pointee.metadata, "title", name, AV_DICT_DONT_OVERWRITE)
            if status < 0 { return status }
        }
        return 0
    }

    /// The names by the tracks' numbers.
    private static func trackNames(in descriptor: Int32) -> [Int32: String] {
        func boxes(in box: MP4FileBox) -> [MP4FileBox] { MP4FileBox.all(in: box.content, of: descriptor) }
        guard let movie = MP4FileBox.all(of: descriptor, through: "moov").last, movie.name == "moov" else {
            return [:]
        }
        var names: [Int32: String] = [:]
        for track in boxes(in: movie) where track.name == "trak" {
            let parts = boxes(in: track)
            guard let header = parts.first(where: { $0.name == "tkhd" }),
                let user = parts.first(where: { $0.name == "udta" }),
                let box = boxes(in: user).first(where: { $0.name == "name" }),
                let version = header.bytes(descriptor, count: 1)?.first,
                let number = header.bytes(descriptor, from: version == 1 ? 20 : 12, count: 4),
                0 < box.content.count, box.content.count <= longestTrackName, let text = box.bytes(descriptor),
                let name = String(validating: text.prefix { $0 != 0 }, as: UTF8.self), !name.isEmpty
            else { continue }
            names[Int32(truncatingIfNeeded: MP4Box.number(number, 0))] = name
        }
        return names
    }
}

/// Where FFmpeg's NUT demuxer is to believe that it stands in a stream in which there is no going back.
///
/// It notes the place of every syncpoint to seek by, in a tree without bound (`ff_nut_add_sp` of `libavformat/nut.c`), which
/// took 7 MB for each hour of a stream that nobody can seek in. A place that is in the tree is not noted again: so each
/// frame begins at the same one.
///
/// A syncpoint says how far back decoding would have to begin, which must not be before the stream's own beginning: so
/// the place is far from that, and is left as it is while key frames are farther apart.
struct StreamPlace {
    /// Where frames begin once so much was read, in bytes.
    static let usual: Int64 = 1 << 28
    /// What a syncpoint may look back beyond the packets that are known, in bytes.
    private static let margin: Int64 = 1 << 26

    /// By how much places are wrong.
    private var forgotten: Int64 = 0
    /// Where the last two key frames of each stream ended.
    private var keys: [Int: (earlier: Int64, last: Int64)] = [:]

    /// The place to take for the one behind a packet.
    ///
    /// - Parameter place: where FFmpeg believes to be.
    mutating func behind(_ place: Int64, stream: Int, isKey: Bool) -> Int64 {
        let actual = place + forgotten
        if isKey { keys[stream] = (keys[stream]?.last ?? actual, actual) }
        let oldest = keys.values.reduce(actual) { min($0, $1.earlier) }
        guard place > Self.usual, actual - oldest < Self.usual - Self.margin else { return place }
        forgotten += place - Self.usual
        return Self.usual
    }
}
