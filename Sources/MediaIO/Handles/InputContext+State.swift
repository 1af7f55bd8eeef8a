internal import CFFmpeg

extension InputContext {
    /// Returns whether FFmpeg's demuxer has a property, such as `AVFMT_TS_DISCONT`.
    func hasFlag(_ flag: Int32) -> Bool { unsafe pointer.pointee.iformat.pointee.flags & flag != 0 }

    /// True if the input can seek, or if FFmpeg opened none itself.
    var canSeek: Bool {
        unsafe pointer.pointee.pb.map { unsafe $0.pointee.seekable & AVIO_SEEKABLE_NORMAL != 0 } ?? true
    }

    /// True if all bytes were read.
    var hasReachedEnd: Bool { unsafe pointer.pointee.pb.map { unsafe $0.pointee.eof_reached != 0 } ?? false }

    /// True if reading has not failed, according to the bytes' source.
    var isSound: Bool { unsafe pointer.pointee.pb.map { unsafe $0.pointee.error >= 0 } ?? false }

    /// Seeks to the last key frame of a stream at or before a time, in its ticks.
    ///
    /// - Returns: False if the container cannot seek.
    func seek(_ stream: Int, to ticks: Int64) -> Bool {
        unsafe av_seek_frame(pointer, Int32(stream), ticks, AVSEEK_FLAG_BACKWARD) >= 0
    }
}

extension StreamParameters {
    var channelCount: Int32 { unsafe pointer.pointee.ch_layout.nb_channels }
}
