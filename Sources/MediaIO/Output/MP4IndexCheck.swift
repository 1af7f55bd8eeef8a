internal import CFFmpeg
import Platform

/// The streams that the index of a written MP4 or QuickTime file must describe.
///
/// If FFmpeg 5.1 has no memory for a part of the index, it silently omits that part, or moves the pictures by a wrong
/// amount (`mov_write_moov_tag` and its callees in `libavformat/movenc.c`). The unplayable output would then replace a
/// playable file.
struct MP4IndexCheck {
    /// The properties of a stream that the index must state.
    struct Stream: Hashable {
        /// The track's id; nil if another stream may have it, as streams of immersive audio share a track.
        var id: Int32?
        /// The properties of a stream that was encoded here. They are nil for copied streams, whose header may be
        /// wrong, or valid for several codecs.
        var encoded: Encoded?
    }

    struct Encoded: Hashable {
        /// FFmpeg's name of the codec.
        var codec: String
        /// True if the codec has a header.
        var hasHeader: Bool
        /// The number of packets.
        var count: Int
    }

    var streams: [Stream]

    /// Returns whether the index of a file describes the streams, and all bytes up to the end.
    func passes(_ file: String) -> Bool {
        // The edit list is ignored, since packets that it cuts off are in the file, too.
        guard let content = Self.contentRange(of: file),
            let options = try? OptionDictionary([("ignore_editlist", "1"), ("protocol_whitelist", "file")]),
            let input = unsafe try? InputContext(
                url: "file:" + file, format: av_find_input_format("mov"), options: options)
        else { return false }
        let samples = input.streams.compactMap(\.sampleRange)
        guard let first = samples.map(\.lowerBound).min(), let last = samples.map(\.upperBound).max(),
            content.lowerBound <= first, last == content.upperBound
        else { return false }
        return streams.allSatisfy { wanted in
            let stream = input.streams.first { stream in
                wanted.id.map { stream.id == $0 } ?? (stream.parameters.codec_type == AVMEDIA_TYPE_VIDEO)
            }
            guard let stream else { return false }
            guard let encoded = wanted.encoded else { return stream.indexedCount > 0 }
            return stream.indexedCount == encoded.count && Int(stream.nb_frames) == encoded.count
                && (!encoded.hasHeader || stream.parameters.extradata_size > 0)
                && stream.parameters.codecName == encoded.codec
        }
    }

    /// Returns the range of the samples, which is the content of the last box `mdat`; nil if the boxes before it are
    /// not contiguous.
    private static func contentRange(of file: String) -> Range<Int64>? {
        guard let descriptor = try? RawFile.open(Array(file.utf8), O_RDONLY) else { return nil }
        defer { close(descriptor) }
        guard let total = FileStamp(descriptor: descriptor).map({ Int64($0.size) }),
            let last = MP4FileBox.all(of: descriptor).last, last.name == "mdat", !last.isOpenEnded,
            last.range.upperBound == total
        else { return nil }
        return last.content
    }
}

extension MP4IndexCheck {
    /// The check for the packets that an output wrote.
    init(of layout: OutputLayout) {
        let hasGroups = unsafe cffmpeg_group_count(layout.context.pointer) > 0
        streams = layout.context.streams.compactMap { stream in
            let parameters = stream.parameters
            let isCover = stream.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
            let isVideo = Int(stream.index) == layout.videoPlace
            guard stream.nb_frames > 0, !isCover,
                [AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO].contains(parameters.codec_type), isVideo || !hasGroups
            else { return nil }
            let encoded = Encoded(
                codec: parameters.codecName, hasHeader: parameters.extradata_size > 0, count: Int(stream.nb_frames))
            // `mov_setup_track_ids`
            return Stream(id: hasGroups ? nil : stream.index + 1, encoded: isVideo ? encoded : nil)
        }
    }
}

extension StreamHandle {
    /// The number of packets that the index of an input states.
    fileprivate var indexedCount: Int { unsafe Int(avformat_index_get_entries_count(pointer)) }

    /// The range of the stream's samples in its file; nil if it has none.
    fileprivate var sampleRange: Range<Int64>? {
        var range: Range<Int64>?
        for index in 0..<Int32(indexedCount) {
            guard let entry = unsafe avformat_index_get_entry(pointer, index) else { continue }
            let (start, size) = unsafe (entry.pointee.pos, Int64(entry.pointee.size))
            guard start >= 0, size >= 0, start <= .max - size else { return nil }
            let known = range ?? start..<start
            range = min(known.lowerBound, start)..<max(known.upperBound, start + size)
        }
        return range
    }
}

extension StreamParameters {
    /// FFmpeg's name of the codec.
    var codecName: String { unsafe String(cString: avcodec_get_name(self.codec_id)) }
}
