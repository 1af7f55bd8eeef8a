internal import CFFmpeg

extension VideoEncoder {
    /// What can be asked of an encoder that runs.
    package enum Adjustment: Sendable, Hashable {
        /// Bits a second; only where the rate was constant from the start.
        case bitRate(Int)
        /// Constant quality; only where it was that from the start.
        case crf(Double)
    }

    /// Changes what the encoder aims at, from the next frame that is sent. An encoder that looks
    /// ahead applies it to the frames that wait inside, too.
    ///
    /// - Returns: why that cannot be; nil where it was done.
    ///
    /// `reconfig_encoder` in FFmpeg's `libavcodec/libx264.c`, which compares these fields with
    /// x264's before each frame.
    package func adjust(_ adjustment: Adjustment) -> String? {
        guard let name = encoderName else { return "no frame was encoded yet" }
        guard name == "libx264" else { return "\(name) cannot be adjusted while it runs" }
        switch adjustment {
        case .bitRate:
            // x264 ignores a new rate without a buffer, and cannot get one later.
            guard settings.isConstantRate, settings.bitRate != nil else {
                return "\(name) was not opened with a constant bit rate"
            }
        case .crf:
            guard settings.bitRate == nil else { return "\(name) was opened with a bit rate" }
        }
        return apply(adjustment) ? nil : "\(name) does not take \(adjustment)"
    }

    /// Sets what is asked for, whether the encoder heeds it or not.
    /// - Returns: whether it can be set.
    func apply(_ adjustment: Adjustment) -> Bool {
        guard let context = unsafe context else { return false }
        switch adjustment {
        case .bitRate(let rate):
            unsafe setRate(rate, in: context)
            return true
        case .crf(let crf):
            return unsafe av_opt_set_double(context.pointee.priv_data, "crf", crf, 0) >= 0
        }
    }

    /// Sets the rate and, for a constant one, the buffer of one second that holds it.
    @unsafe
    func setRate(_ rate: Int, in context: UnsafeMutablePointer<AVCodecContext>) {
        unsafe context.pointee.bit_rate = Int64(rate)
        guard settings.isConstantRate else { return }
        unsafe context.pointee.rc_max_rate = Int64(rate)
        unsafe context.pointee.rc_buffer_size = Int32(clamping: rate)
    }
}
