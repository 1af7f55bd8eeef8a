internal import CFFmpeg

/// Encodes sound as AAC packets for a ``Muxer`` that has no source to copy sound from, as in Flourish's demo videos.
///
/// Call ``send(_:)`` with any number of samples, then ``receive()`` until it returns nil. At the end call ``finish()``,
/// and ``receive()`` until it returns nil again. An encoder is used by one thread at a time.
///
/// `AVCodecContext`
@safe
package final class AudioEncoder: @unchecked Sendable {
    /// The stream index of the packets: the stream after the video.
    static let streamIndex = 1

    let context: UnsafeMutablePointer<AVCodecContext>
    private let path: String
    private var waiting: [Float] = []
    /// The number of samples in `waiting` that were encoded.
    private var consumed = 0
    private var samplesSent: Int64 = 0
    private var hasFinished = false

    /// Opens the encoder for one channel of sound.
    ///
    /// - Parameter path: The output's name, for messages.
    /// - throws: ``MediaError`` of the codes `noEncoder`, `encoderRefused`, `internal`.
    package init(
        sampleRate: Int, bitRate: Int = 96_000, container: ContainerFormat, path: String
    ) throws(MediaError) {
        MediaLog.prepare()
        guard let codec = unsafe avcodec_find_encoder(AV_CODEC_ID_AAC) else {
            throw MediaError(.noEncoder, file: path, "\(path): the installed FFmpeg has no AAC encoder")
        }
        guard let fresh = unsafe avcodec_alloc_context3(codec) else { throw .outOfMemory(path) }
        unsafe fresh.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
        unsafe fresh.pointee.sample_rate = Int32(sampleRate)
        unsafe fresh.pointee.bit_rate = Int64(bitRate)
        unsafe fresh.pointee.time_base = AVRational(num: 1, den: Int32(sampleRate))
        unsafe fresh.pointee.flags |= AV_CODEC_FLAG_BITEXACT
        if container.wantsGlobalHeader { unsafe fresh.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
        unsafe av_channel_layout_default(&fresh.pointee.ch_layout, 1)
        let status = unsafe avcodec_open2(fresh, codec, nil)
        if status < 0 {
            var closing: UnsafeMutablePointer<AVCodecContext>? = unsafe fresh
            unsafe avcodec_free_context(&closing)
            throw MediaError(
                .encoderRefused, file: path, "\(path): the AAC encoder rejected its settings",
                detail: MediaError.text(of: status))
        }
        unsafe context = unsafe fresh
        self.path = path
    }

    deinit {
        var closing: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&closing)
    }

    /// Returns whether a container can hold AAC.
    package static func fits(_ container: ContainerFormat) -> Bool { container.supportsAAC }

    /// Appends samples, −1…1. They wait until ``receive()`` encodes them.
    package func send(_ samples: [Float]) {
        precondition(!hasFinished)
        waiting += samples
    }

    /// Signals the end of the sound: ``receive()`` then returns the remaining packets.
    package func finish() { hasFinished = true }

    /// Returns the next packet; nil if more samples are needed or, after ``finish()``, at the end.
    /// - throws: ``MediaError`` of the codes `encoderRefused`, `internal`.
    ///
    /// `avcodec_receive_packet`
    package func receive() throws(MediaError) -> Packet? {
        while true {
            let owned = Packet(try PacketHandle(file: path))
            let packet = unsafe owned.av.pointer
            let status = unsafe avcodec_receive_packet(context, packet)
            if status == cffmpeg_error_eagain {
                guard try feed() else { return nil }
                continue
            }
            if status == cffmpeg_error_eof { return nil }
            if status < 0 { throw failed(status) }
            unsafe packet.pointee.stream_index = Int32(Self.streamIndex)
            unsafe packet.pointee.time_base = context.pointee.time_base
            return owned
        }
    }

    /// Sends the next frame, or the end of the stream, to the codec.
    /// - Returns: false if the codec needs more samples.
    private func feed() throws(MediaError) -> Bool {
        let size = unsafe Int(context.pointee.frame_size)
        let ready = waiting.count - consumed
        if ready >= size || (hasFinished && ready > 0) {
            let count = min(size, ready)
            try encode(waiting[consumed..<consumed + count])
            consumed += count
            if consumed > 1 << 16 {
                waiting.removeFirst(consumed)
                consumed = 0
            }
            return true
        }
        guard hasFinished else { return false }
        let status = unsafe avcodec_send_frame(context, nil)
        if status < 0, status != cffmpeg_error_eof { throw failed(status) }
        return true
    }

    private func encode(_ samples: ArraySlice<Float>) throws(MediaError) {
        guard let frame = unsafe av_frame_alloc() else { throw .outOfMemory(path) }
        defer {
            var closing: UnsafeMutablePointer<AVFrame>? = unsafe frame
            unsafe av_frame_free(&closing)
        }
        unsafe frame.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
        unsafe frame.pointee.sample_rate = context.pointee.sample_rate
        unsafe frame.pointee.nb_samples = Int32(samples.count)
        unsafe av_channel_layout_default(&frame.pointee.ch_layout, 1)
        var status = unsafe av_frame_get_buffer(frame, 0)
        guard status >= 0, let plane = unsafe frame.pointee.data.0 else { throw failed(status) }
        unsafe plane.withMemoryRebound(to: Float.self, capacity: samples.count) { target in
            for (i, sample) in samples.enumerated() { unsafe target[i] = sample }
        }
        unsafe frame.pointee.pts = samplesSent
        samplesSent += Int64(samples.count)
        status = unsafe avcodec_send_frame(context, frame)
        if status < 0 { throw failed(status) }
    }

    private func failed(_ status: Int32) -> MediaError {
        if status == cffmpeg_error_enomem { return .outOfMemory(path) }
        return MediaError(
            .encoderRefused, file: path, "\(path): the audio encoder failed",
            detail: MediaError.text(of: status))
    }
}
