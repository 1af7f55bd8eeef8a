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
        let options = try OptionDictionary(
            [("protocol_whitelist", "file"), ("codec_whitelist", codecs.joined(separator: ","))], file: file)
        let damaged = MediaError(
            .damaged, file: file, "\(file): cannot be decoded; save it as a WAV or Ogg Vorbis file")
        guard let format = unsafe av_find_input_format(isOgg ? "ogg" : "wav"),
            let input = unsafe try? InputContext(url: "file:" + file, format: format, options: options),
            unsafe avformat_find_stream_info(input.pointer, nil) >= 0
        else { throw damaged }
        let index = unsafe av_find_best_stream(input.pointer, AVMEDIA_TYPE_AUDIO, -1, -1, nil, 0)
        if index < 0 { throw damaged }
        let parameters = input.stream(Int(index)).parameters
        let rate = Int(parameters.sample_rate)
        guard let codec = DecoderList.decoder(for: parameters.codec_id, in: input),
            codecs.contains(codec.name), (8000...192_000).contains(rate)
        else { throw damaged }
        let decoder = try CodecContext(codec, file: file)
        guard unsafe decoder.setParameters(parameters.pointer) >= 0, decoder.open() >= 0 else { throw damaged }
        let packet = try PacketHandle(file: file)
        let frame = try FrameHandle(file: file)
        var samples: [Float] = []
        var hasEnded = false
        while !hasEnded {
            hasEnded = input.read(packet) < 0
            if !hasEnded, packet.stream_index != index {
                packet.clear()
                continue
            }
            _ = hasEnded ? decoder.sendEnd() : decoder.send(packet)
            packet.clear()
            while decoder.receive(frame) == .done {
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
