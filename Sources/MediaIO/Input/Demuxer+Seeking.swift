internal import CFFmpeg

extension Demuxer {
    /// Goes to the last picture of the video at or before a time from which decoding can begin.
    ///
    /// - Parameter time: On the file's clock, as packets' times are.
    /// - Returns: False where the container cannot be gone about in; then reading goes on where it was.
    ///
    /// `av_seek_frame`
    package func seek(to time: MediaTime) -> Bool {
        let base = unsafe Rational(context.pointee.streams[video.index]!.pointee.time_base)
        let target = (time - (shift ?? .zero)).rescaled(to: base).value
        guard unsafe av_seek_frame(context, Int32(video.index), target, AVSEEK_FLAG_BACKWARD) >= 0 else { return false }
        early = []
        mender?.forget()
        joiner?.reset()
        leaps?.reset()
        return true
    }

    /// Has the packets of all other streams left out, which some containers then need not read.
    ///
    /// - Parameter index: A stream's place in the file.
    package func readOnly(stream index: Int) {
        for other in streams.map(\.index) where other != index {
            unsafe context.pointee.streams[other]!.pointee.discard = AVDISCARD_ALL
        }
        early.removeAll { $0.streamIndex != index }
    }
}
