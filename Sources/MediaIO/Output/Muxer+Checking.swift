internal import CFFmpeg
import Platform

/// Reads the index of a written MP4 or QuickTime file, and compares it with the written packets.
extension Muxer {
    /// The properties of a stream that the index of a file must state.
    struct IndexedStream: Hashable {
        /// The track's id; `nil` if another stream may have it, as streams of immersive audio share a track.
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

    /// Checks that the index of an MP4 or QuickTime file describes everything that was written.
    ///
    /// If FFmpeg 5.1 has no memory for a part of the index, it silently omits that part, or moves the pictures by a
    /// wrong amount (`mov_write_moov_tag` and its callees in `libavformat/movenc.c`). The unplayable output would then
    /// replace a playable file.
    ///
    /// - throws: ``MediaError`` of the code `internal`.
    func checkIndex(of file: String) throws(MediaError) {
        guard container == .mp4 || container == .mov else { return }
        let hasGroups = unsafe cffmpeg_group_count(context) > 0
        let written = (0..<Int(unsafe context.pointee.nb_streams)).compactMap { index -> IndexedStream? in
            let stream = unsafe context.pointee.streams[index]!
            let parameters = unsafe stream.pointee.codecpar!
            let isCover = unsafe stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
            guard unsafe stream.pointee.nb_frames > 0, !isCover,
                unsafe [AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO].contains(parameters.pointee.codec_type)
            else { return nil }
            let encoded = unsafe Encoded(
                codec: String(cString: avcodec_get_name(parameters.pointee.codec_id)),
                hasHeader: parameters.pointee.extradata_size > 0, count: Int(stream.pointee.nb_frames))
            if hasGroups { return index == videoPlace ? IndexedStream(id: nil, encoded: encoded) : nil }
            // `mov_setup_track_ids`
            return IndexedStream(id: Int32(index + 1), encoded: index == videoPlace ? encoded : nil)
        }
        guard !Self.index(of: file, describes: written) else { return }
        throw MediaError(
            .internal, file: path,
            "\(path): the output cannot be read back; memory may have run out; try again")
    }

    /// Returns whether the index of a file describes these streams, and all bytes up to the end.
    static func index(of file: String, describes written: [IndexedStream]) -> Bool {
        var context: UnsafeMutablePointer<AVFormatContext>? = nil
        var options: OpaquePointer? = nil
        defer { unsafe av_dict_free(&options) }
        // The edit list is ignored, since packets that it cuts off are in the file, too.
        guard let content = contentRange(of: file), unsafe av_dict_set(&options, "ignore_editlist", "1", 0) >= 0,
            unsafe av_dict_set(&options, "protocol_whitelist", "file", 0) >= 0,
            unsafe avformat_open_input(&context, "file:" + file, av_find_input_format("mov"), &options) >= 0,
            let opened = unsafe context
        else { return false }
        defer { unsafe avformat_close_input(&context) }
        let streams = unsafe (0..<Int(opened.pointee.nb_streams)).map { unsafe opened.pointee.streams[$0]! }
        let samples = unsafe streams.compactMap { unsafe sampleRange(of: $0) }
        guard let first = samples.map(\.lowerBound).min(), let last = samples.map(\.upperBound).max(),
            content.lowerBound <= first, last == content.upperBound
        else { return false }
        return written.allSatisfy { wanted in
            let found = unsafe streams.first { stream in
                if let id = wanted.id { return unsafe stream.pointee.id == id }
                return unsafe stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
            }
            guard let stream = unsafe found else { return false }
            let parameters = unsafe stream.pointee.codecpar!
            let count = unsafe Int(avformat_index_get_entries_count(stream))
            guard let encoded = wanted.encoded else { return count > 0 }
            return unsafe count == encoded.count && Int(stream.pointee.nb_frames) == count
                && (!encoded.hasHeader || parameters.pointee.extradata_size > 0)
                && String(cString: avcodec_get_name(parameters.pointee.codec_id)) == encoded.codec
        }
    }

    /// Returns the range of a stream's samples in its file; nil if it has none.
    @unsafe
    private static func sampleRange(of stream: UnsafeMutablePointer<AVStream>) -> Range<Int64>? {
        var range: Range<Int64>?
        for index in 0..<(unsafe avformat_index_get_entries_count(stream)) {
            guard let entry = unsafe avformat_index_get_entry(stream, index) else { continue }
            let (start, size) = unsafe (entry.pointee.pos, Int64(entry.pointee.size))
            guard start >= 0, size >= 0, start <= .max - size else { return nil }
            let known = range ?? start..<start
            range = min(known.lowerBound, start)..<max(known.upperBound, start + size)
        }
        return range
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
