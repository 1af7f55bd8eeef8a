internal import CFFmpeg
import Platform

extension Muxer {
    /// What the index of a file must tell of a stream.
    struct IndexedStream: Hashable {
        /// The track's number.
        var id: Int32
        /// What an encoder here made; nil of what is copied, whose header may be wrong, or one for several codecs.
        var encoded: Encoded?
    }

    struct Encoded: Hashable {
        /// FFmpeg's name.
        var codec: String
        /// Whether it has a header of its own.
        var hasHeader: Bool
        /// How many packets there are.
        var count: Int
    }

    /// Looks whether a file of MP4 or QuickTime tells of all that was written into it.
    ///
    /// Where FFmpeg 5.1 has no memory for a part of the index it leaves that out without a word (`mov_write_moov_tag` and what
    /// it calls in `libavformat/movenc.c`), or moves the pictures by another amount than it tells: the file would replace one
    /// that plays, and be none.
    ///
    /// - throws: ``MediaError`` of the code `internal`.
    func checkIndex(of file: String) throws(MediaError) {
        guard container == .mp4 || container == .mov else { return }
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
            // `mov_setup_track_ids`
            return IndexedStream(id: Int32(index + 1), encoded: index == videoPlace ? encoded : nil)
        }
        guard !Self.index(of: file, tellsOf: written) else { return }
        throw MediaError(
            .internal, file: path,
            "\(path): what was written cannot be read again, for which memory may have been too short; try again")
    }

    /// Whether the index of a file tells of these streams, and of all bytes up to the end.
    static func index(of file: String, tellsOf written: [IndexedStream]) -> Bool {
        var context: UnsafeMutablePointer<AVFormatContext>? = nil
        var options: OpaquePointer? = nil
        defer { unsafe av_dict_free(&options) }
        // What is cut off at the ends lies in the file like all else.
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
            guard let stream = unsafe streams.first(where: { unsafe $0.pointee.id == wanted.id }) else { return false }
            let parameters = unsafe stream.pointee.codecpar!
            let count = unsafe Int(avformat_index_get_entries_count(stream))
            guard let encoded = wanted.encoded else { return count > 0 }
            return unsafe count == encoded.count && Int(stream.pointee.nb_frames) == count
                && (!encoded.hasHeader || parameters.pointee.extradata_size > 0)
                && String(cString: avcodec_get_name(parameters.pointee.codec_id)) == encoded.codec
        }
    }

    /// Where a stream's samples lie in its file; nil where it has none.
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

    /// Where the pictures lie: the content of the box `mdat`, with which the file ends; nil where its boxes do not follow
    /// each other up to there.
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
