internal import CFFmpeg

extension Demuxer {
    /// Goes to the last picture of the video at or before a time from which decoding can begin.
    ///
    /// - Parameter time: On the file's clock, as packets' times are.
    /// - Returns: False where the container cannot be gone about in; then reading goes on where it was. So it is where the
    ///   clock leaps forward midway, since a seek goes by the clock with gaps.
    ///
    /// `av_seek_frame`
    package func seek(to time: MediaTime) -> Bool {
        if hasForwardLeaps { return false }
        let base = unsafe Rational(context.pointee.streams[video.index]!.pointee.time_base)
        let target = (time - (shift ?? .zero)).rescaled(to: base).value
        guard unsafe av_seek_frame(context, Int32(video.index), target, AVSEEK_FLAG_BACKWARD) >= 0 else { return false }
        early = []
        hasFailedEarly = false
        mender?.forget()
        joiner?.reset()
        leaps?.reset()
        return true
    }

    /// Has the packets of all other streams left out, which some containers then need not read.
    ///
    /// - Parameter index: A stream's place in the file.
    package func readOnly(stream index: Int) {
        onlyStream = index
        // All streams together tell whether the clock leaps.
        if hasForwardLeaps { return }
        leaps = nil
        for other in streams.map(\.index) where other != index {
            unsafe context.pointee.streams[other]!.pointee.discard = AVDISCARD_ALL
        }
        early = early.filter { $0.streamIndex == index }[...]
    }

    /// A Boolean value that indicates whether the clock of the recording leaps forward midway, for which all packets are read
    /// once.
    private var hasForwardLeaps: Bool {
        guard leaps != nil else { return false }
        if let known = knownLeaps { return known }
        let whole = try? Demuxer(path: path)
        while !watch.mustEnd, let packet = try? whole?.readPacket() { _ = packet.size }
        let found = whole?.closedGaps.isEmpty == false
        knownLeaps = found
        return found
    }
}
