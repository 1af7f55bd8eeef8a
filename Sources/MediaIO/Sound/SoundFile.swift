internal import CFFmpeg
internal import Platform

/// Reads short sounds from files.
package enum SoundFile {
    /// The maximum length in seconds.
    package static let greatestLength = 8.0
    /// The maximum size of a file in bytes.
    package static let greatestSize = 2 << 20

    /// The decoders that a file may use: both containers can hold many others, and a sound may come from a stranger.
    private static let codecs = [
        "pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le", "flac", "vorbis", "opus",
    ]

    /// Reads a WAV or Ogg file as one channel at a rate.
    ///
    /// - Throws: ``MediaError`` if it cannot be read, or is too long.
    package static func samples(of file: String, rate: Int) throws(MediaError) -> [Float] {
        let (samples, stored) = try read(file)
        return resampled(samples, from: stored, to: rate)
    }

    private static func read(_ file: String) throws(MediaError) -> (samples: [Float], rate: Int) {
        MediaLog.prepare()
        guard FileKind.size(of: file).map({ $0 <= greatestSize }) ?? false else {
            throw MediaError(.damaged, file: file, "\(file): is not a sound file of up to \(greatestSize >> 20) MiB")
        }
        let isOgg = file.hasSuffix(".ogg")
        var context: UnsafeMutablePointer<AVFormatContext>? = nil
        var options: OpaquePointer? = nil
        defer { unsafe av_dict_free(&options) }
        unsafe av_dict_set(&options, "protocol_whitelist", "file", 0)
        unsafe av_dict_set(&options, "codec_whitelist", codecs.joined(separator: ","), 0)
        let damaged = MediaError(
            .damaged, file: file, "\(file): cannot be decoded; save it as a WAV or Ogg Vorbis file")
        guard let format = unsafe av_find_input_format(isOgg ? "ogg" : "wav"),
            unsafe avformat_open_input(&context, "file:" + file, format, &options) >= 0,
            let opened = unsafe context
        else { throw damaged }
        defer { unsafe avformat_close_input(&context) }
        guard unsafe avformat_find_stream_info(opened, nil) >= 0 else { throw damaged }
        let index = unsafe av_find_best_stream(opened, AVMEDIA_TYPE_AUDIO, -1, -1, nil, 0)
        guard index >= 0, let stream = unsafe opened.pointee.streams[Int(index)],
            let codec = unsafe DecoderList.decoder(for: stream.pointee.codecpar.pointee.codec_id, in: opened),
            unsafe codecs.contains(String(cString: codec.pointee.name)),
            let decoder = unsafe avcodec_alloc_context3(codec), let frame = unsafe av_frame_alloc(),
            let packet = unsafe av_packet_alloc()
        else { throw damaged }
        defer {
            var closing: UnsafeMutablePointer<AVCodecContext>? = unsafe decoder
            var ending: UnsafeMutablePointer<AVFrame>? = unsafe frame
            var last: UnsafeMutablePointer<AVPacket>? = unsafe packet
            unsafe avcodec_free_context(&closing)
            unsafe av_frame_free(&ending)
            unsafe av_packet_free(&last)
        }
        let rate = unsafe Int(stream.pointee.codecpar.pointee.sample_rate)
        guard unsafe avcodec_parameters_to_context(decoder, stream.pointee.codecpar) >= 0,
            unsafe avcodec_open2(decoder, codec, nil) >= 0, (8000...192_000).contains(rate)
        else { throw damaged }
        var samples: [Float] = []
        var hasEnded = false
        while !hasEnded {
            hasEnded = unsafe av_read_frame(opened, packet) < 0
            if !hasEnded, unsafe packet.pointee.stream_index != index {
                unsafe av_packet_unref(packet)
                continue
            }
            _ = unsafe avcodec_send_packet(decoder, hasEnded ? nil : packet)
            unsafe av_packet_unref(packet)
            while unsafe avcodec_receive_frame(decoder, frame) >= 0 {
                samples += unsafe SampleAccess(frame).mixedDown()
                if Double(samples.count) > greatestLength * Double(rate) {
                    throw MediaError(
                        .damaged, file: file, "\(file): is longer than \(Int(greatestLength)) s; shorten it")
                }
            }
        }
        guard !samples.isEmpty, samples.allSatisfy(\.isFinite) else { throw damaged }
        // Floating-point files may exceed full scale by any factor.
        return (samples.map { min(max($0, -1), 1) }, rate)
    }

    /// Returns samples at another rate, with a windowed sine of 32 zero crossings.
    static func resampled(_ samples: [Float], from rate: Int, to target: Int) -> [Float] {
        if rate == target { return samples }
        let step = Double(rate) / Double(target)
        // Frequencies above half of the lower rate are removed.
        let cutoff = min(1, 1 / step)
        let reach = 16 / cutoff
        return (0..<Int(Double(samples.count) / step)).map { index in
            let centre = Double(index) * step
            let first = max(0, Int((centre - reach).rounded(.up)))
            let last = min(samples.count - 1, Int((centre + reach).rounded(.down)))
            var sum = 0.0
            for place in stride(from: first, through: last, by: 1) {
                let x = (Double(place) - centre) * cutoff
                let lobe = x == 0 ? 1 : sin(.pi * x) / (.pi * x)
                sum += Double(samples[place]) * lobe * (0.5 + 0.5 * cos(.pi * x / 16)) * cutoff
            }
            return Float(sum)
        }
    }
}
