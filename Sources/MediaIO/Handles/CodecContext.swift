internal import CFFmpeg

/// An open decoder or encoder, which is closed with this value. Used by one thread at a time.
///
/// `AVCodecContext`
@safe @dynamicMemberLookup
struct CodecContext: ~Copyable {
    let pointer: UnsafeMutablePointer<AVCodecContext>

    /// The result of receiving a frame or a packet.
    enum Outcome: Equatable {
        /// A frame or a packet was received.
        case done
        /// The codec needs more input.
        case again
        /// The codec has returned everything since the end of the stream was sent.
        case end
        /// FFmpeg's code of an error.
        case failed(Int32)

        /// FFmpeg's code.
        var status: Int32 {
            switch self {
            case .done: 0
            case .again: cffmpeg_error_eagain
            case .end: cffmpeg_error_eof
            case .failed(let status): status
            }
        }
    }

    /// Allocates the context of a codec, to be configured and then opened; a parser's context needs no codec.
    /// - throws: ``MediaError`` of the code `internal`.
    init(_ codec: Codec?, file: String = "") throws(MediaError) {
        guard let context = unsafe avcodec_alloc_context3(codec?.pointer) else { throw .outOfMemory(file) }
        unsafe pointer = unsafe context
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe pointer
        unsafe avcodec_free_context(&context)
    }

    /// Opens the codec.
    ///
    /// - Returns: FFmpeg's code.
    func open() -> Int32 { unsafe avcodec_open2(pointer, nil, nil) }

    /// Opens the codec with options, of which those remain that the codec does not know.
    ///
    /// - Returns: FFmpeg's code.
    func open(_ options: OptionDictionary) -> Int32 {
        unsafe avcodec_open2(pointer, nil, &options.pointer)
    }

    /// Copies the parameters of a stream into the context.
    ///
    /// - Returns: FFmpeg's code.
    @unsafe
    func setParameters(_ parameters: UnsafePointer<AVCodecParameters>) -> Int32 {
        unsafe avcodec_parameters_to_context(pointer, parameters)
    }

    /// Copies the parameters of the open codec into those of a stream.
    ///
    /// - Returns: FFmpeg's code.
    @unsafe
    func copyParameters(to parameters: UnsafeMutablePointer<AVCodecParameters>) -> Int32 {
        unsafe avcodec_parameters_from_context(parameters, pointer)
    }

    /// Sets the usual layout of a number of channels.
    func setDefaultLayout(channels: Int32) {
        unsafe av_channel_layout_default(&pointer.pointee.ch_layout, channels)
    }

    /// Sends a packet to a decoder.
    ///
    /// - Returns: FFmpeg's code.
    func send(_ packet: borrowing PacketHandle) -> Int32 { unsafe avcodec_send_packet(pointer, packet.pointer) }

    /// Sends a frame to an encoder.
    ///
    /// - Returns: FFmpeg's code.
    func send(_ frame: borrowing FrameHandle) -> Int32 { unsafe avcodec_send_frame(pointer, frame.pointer) }

    /// Sends the end of the stream. It may be sent more than once.
    ///
    /// - Returns: FFmpeg's code.
    func sendEnd() -> Int32 {
        let isEncoder = unsafe av_codec_is_encoder(pointer.pointee.codec) != 0
        let status = unsafe isEncoder ? avcodec_send_frame(pointer, nil) : avcodec_send_packet(pointer, nil)
        return status == cffmpeg_error_eof ? 0 : status
    }

    /// Receives a frame from a decoder. It replaces the content of `frame`.
    func receive(_ frame: borrowing FrameHandle) -> Outcome {
        outcome(unsafe avcodec_receive_frame(pointer, frame.pointer))
    }

    /// Receives a packet, in the encoder's time base. It replaces the content of `packet`.
    func receive(_ packet: borrowing PacketHandle) -> Outcome {
        let result = outcome(unsafe avcodec_receive_packet(pointer, packet.pointer))
        if result == .done { packet.time_base = self.time_base }
        return result
    }

    private func outcome(_ status: Int32) -> Outcome {
        switch status {
        case 0...: .done
        case cffmpeg_error_eagain: .again
        case cffmpeg_error_eof: .end
        default: .failed(status)
        }
    }

    /// Drops all packets and frames, so that a decoder can continue elsewhere in the stream.
    func flush() { unsafe avcodec_flush_buffers(pointer) }

    /// Sets an option of the codec itself.
    ///
    /// - Returns: FFmpeg's code.
    @discardableResult
    func setOption(_ name: String, _ value: String) -> Int32 {
        unsafe av_opt_set(pointer.pointee.priv_data, name, value, 0)
    }

    func setOption(_ name: String, _ value: Double) -> Int32 {
        unsafe av_opt_set_double(pointer.pointee.priv_data, name, value, 0)
    }

    var timeBase: TimeBase { Rational(self.time_base) }
    var codecName: String { unsafe String(cString: pointer.pointee.codec.pointee.name) }

    /// The codec's header, such as parameter sets.
    var header: [UInt8] { unsafe Array(pointer.pointee.extradata, count: Int(pointer.pointee.extradata_size)) }

    /// A field of the structure that is a plain value, under FFmpeg's name. Fields that are pointers stay unsafe.
    @safe
    subscript<Value>(dynamicMember field: WritableKeyPath<AVCodecContext, Value>) -> Value {
        get { unsafe pointer.pointee[keyPath: field] }
        nonmutating set { unsafe pointer.pointee[keyPath: field] = newValue }
    }
}
