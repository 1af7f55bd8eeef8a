internal import CFFmpeg

/// The time code of the first frame, a tag of a file or of its video.
extension Muxer {
    private static let timeCodeTag = "timecode"

    /// Moves the time codes of a source to the first frame of its trim range.
    ///
    /// - Parameter layout: The layout, whose account then expects the moved time codes.
    @unsafe
    static func moveTimeCodes(
        _ output: UnsafeMutablePointer<AVFormatContext>, _ source: Demuxer, _ layout: inout StreamLayout
    ) throws(MediaError) {
        guard let trim = source.trim, trim.start > 0 else { return }
        func moved(_ tags: OpaquePointer?) -> String? {
            (unsafe Demuxer.dictionary(tags)[timeCodeTag]).flatMap { Self.moved($0, by: trim.start, of: source.video) }
        }
        if let code = unsafe moved(output.pointee.metadata) {
            try MediaError.demandMemory(unsafe av_dict_set(&output.pointee.metadata, timeCodeTag, code, 0), source.path)
            layout.inventory?.tags[timeCodeTag] = code
        }
        for (from, place) in layout.written {
            let stream = unsafe output.pointee.streams[place]!
            guard let code = unsafe moved(stream.pointee.metadata) else { continue }
            try MediaError.demandMemory(unsafe av_dict_set(&stream.pointee.metadata, timeCodeTag, code, 0), source.path)
            layout.inventory?.streams[from].tags[timeCodeTag] = code
        }
    }

    /// Returns a time code some seconds later; nil if it cannot be read, or the frame rate is unknown.
    ///
    /// `av_timecode_init_from_string`
    private static func moved(_ code: String, by seconds: Double, of video: VideoStreamInfo) -> String? {
        let rate = video.averageFrameRate
        var parsed = AVTimecode()
        guard rate.isPositive, unsafe av_timecode_init_from_string(&parsed, rate.avRational, code, nil) >= 0 else {
            return nil
        }
        var text = [CChar](repeating: 0, count: Int(AV_TIMECODE_STR_SIZE))
        let frames = Int32(clamping: Int64((seconds * rate.value).rounded()))
        return unsafe text.withUnsafeMutableBufferPointer { buffer in
            unsafe av_timecode_make_string(&parsed, buffer.baseAddress, frames).map { unsafe String(cString: $0) }
        }
    }
}
