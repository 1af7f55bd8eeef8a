internal import CFFmpeg

/// What becomes of a packet's times on its way into the container.
extension Muxer {
    /// Matroska's times count from before a codec's delay, which libavformat 59 writes into the header
    /// without moving the packets by it (measured: each copy put Opus 6.5 ms early).
    @unsafe
    func compensateCodecDelay(_ packet: UnsafeMutablePointer<AVPacket>, _ stream: UnsafeMutablePointer<AVStream>) {
        guard container == .matroska || container == .webm, avformat_version() >> 16 < 60 else { return }
        let parameters = unsafe stream.pointee.codecpar!
        let (samples, rate) = unsafe (parameters.pointee.initial_padding, parameters.pointee.sample_rate)
        guard samples > 0, rate > 0 else { return }
        let delay = unsafe av_rescale_q(Int64(samples), AVRational(num: 1, den: rate), stream.pointee.time_base)
        if unsafe packet.pointee.pts != cffmpeg_no_pts { unsafe packet.pointee.pts &+= delay }
        if unsafe packet.pointee.dts != cffmpeg_no_pts { unsafe packet.pointee.dts &+= delay }
    }

    /// Containers demand decoding times that rise; rounding or a broken source may repeat one.
    @unsafe
    func keepOrder(_ packet: UnsafeMutablePointer<AVPacket>, last: inout Int64?) {
        guard unsafe packet.pointee.dts != cffmpeg_no_pts else {
            // libavformat counts on from the one before, by the duration: a tick more at most. What the source says of the
            // next one is earlier where the one before had to become later.
            if let time = last { last = unsafe time &+ packet.pointee.duration &+ 1 }
            return
        }
        if let last, unsafe packet.pointee.dts <= last {
            unsafe packet.pointee.dts = last &+ 1
        }
        unsafe repairDecodingTime(packet, after: last)
        last = unsafe packet.pointee.dts
    }

    /// Moves a decoding time after the presentation time to it, or the presentation time where that breaks the order:
    /// libavformat refuses such a packet.
    @unsafe
    private func repairDecodingTime(_ packet: UnsafeMutablePointer<AVPacket>, after last: Int64?) {
        let (decoding, presentation) = unsafe (packet.pointee.dts, packet.pointee.pts)
        guard presentation != cffmpeg_no_pts, presentation < decoding else { return }
        if presentation > last ?? .min {
            unsafe packet.pointee.dts = presentation
        } else {
            unsafe packet.pointee.pts = decoding
        }
    }
}
