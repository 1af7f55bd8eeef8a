internal import CFFmpeg

/// Encodes sound as AAC packets for a ``Muxer`` that has no source to copy sound from, as in Flourish's demo videos.
///
/// Call ``send(_:)`` with any number of samples, then ``receive()`` until it returns nil. At the end call ``finish()``,
/// and ``receive()`` until it returns nil again. An encoder is used by one thread at a time.
///
/// `AVCodecContext`
package final class AudioEncoder: @unchecked Sendable {
    /// The stream index of the packets: the stream after the video.
    static let streamIndex = 1

    let context: CodecContext
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
        guard let codec = Codec.encoder(for: AV_CODEC_ID_AAC) else {
            throw MediaError(.noEncoder, file: path, "\(path): the installed FFmpeg has no AAC encoder")
        }
        context = try CodecContext(codec, file: path)
        self.path = path
        context.sample_fmt = AV_SAMPLE_FMT_FLTP
        context.sample_rate = Int32(sampleRate)
        context.bit_rate = Int64(bitRate)
        context.time_base = AVRational(num: 1, den: Int32(sampleRate))
        context.flags |= AV_CODEC_FLAG_BITEXACT
        if container.wantsGlobalHeader { context.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
        context.setDefaultLayout(channels: 1)
        try check(context.open()) { status in
            MediaError(
                .encoderRefused, file: path, "\(path): the AAC encoder rejected its settings",
                detail: MediaError.text(of: status))
        }
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
            let packet = try PacketHandle(file: path)
            switch context.receive(packet) {
            case .done:
                packet.stream_index = Int32(Self.streamIndex)
                return Packet(packet)
            case .again: if try !feed() { return nil }
            case .end: return nil
            case .failed(let status): throw failed(status)
            }
        }
    }

    /// Sends the next frame, or the end of the stream, to the codec.
    /// - Returns: false if the codec needs more samples.
    private func feed() throws(MediaError) -> Bool {
        let size = Int(context.frame_size)
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
        try check(context.sendEnd(), failed)
        return true
    }

    private func encode(_ samples: ArraySlice<Float>) throws(MediaError) {
        let frame = try FrameHandle.sound(for: context, count: samples.count, file: path)
        let access = unsafe SampleAccess(frame)
        for (i, sample) in samples.enumerated() { access.store(sample, i, 0) }
        frame.pts = samplesSent
        samplesSent += Int64(samples.count)
        try check(context.send(frame), failed)
    }

    private func failed(_ status: Int32) -> MediaError {
        if status == cffmpeg_error_enomem { return .outOfMemory(path) }
        return MediaError(
            .encoderRefused, file: path, "\(path): the audio encoder failed",
            detail: MediaError.text(of: status))
    }
}
