import ArgumentParser
import Flourish

/// The options that choose how the video is encoded.
struct EncoderOptions: ParsableArguments {
    @Option(help: "The video codec: h264, hevc, vp9 or av1.")
    var codec = EncodingOptions.Codec.h264

    @Option(help: ArgumentHelp(
        "Constant quality: 0 is best; 23 is the default for h264.", valueName: "n"))
    var crf: Double?

    @Option(help: ArgumentHelp(
        "Bits a second, such as 2500k or 2.5M; h264 holds it all the time, the others in the mean.",
        valueName: "rate"))
    var bitrate: BitRate?

    @Option(help: ArgumentHelp(
        "With --bitrate: how far the rate rises while effects run; 3 times --bitrate by default.",
        valueName: "rate"))
    var maxBitrate: BitRate?

    @Option(help: ArgumentHelp(
        "Without --bitrate: how many times the bits of the frames before it an effect may take.",
        valueName: "n"))
    var effectBits: Double?

    @Option(help: ArgumentHelp(
        "The encoder's own preset: ultrafast … placebo for h264 and hevc, 0 … 13 for av1, 0 … 8 for vp9.",
        valueName: "name"))
    var preset: String?

    @Option(help: ArgumentHelp(
        "The pixel format by FFmpeg's name, such as yuv420p10le; the input's is the default.",
        valueName: "name"))
    var pixelFormat: String?

    func validate() throws {
        if crf != nil && bitrate != nil {
            throw ValidationError("--crf and --bitrate exclude each other; give one")
        }
        if let maxBitrate {
            guard let bitrate else { throw ValidationError("--max-bitrate needs --bitrate") }
            if maxBitrate.value < bitrate.value {
                throw ValidationError("--max-bitrate must not lie below --bitrate")
            }
        }
        if let effectBits {
            if bitrate != nil { throw ValidationError("--effect-bits is for constant quality, without --bitrate") }
            if !(effectBits >= 1) { throw ValidationError("--effect-bits must be at least 1") }
        }
        let highest = codec.highestCRF
        if let crf, !(0...highest).contains(crf) {
            throw ValidationError("--crf must lie between 0 and \(Int(highest)) for \(codec.rawValue)")
        }
    }

    func apply(to configuration: inout Configuration) {
        configuration.encoding.codec = codec
        configuration.encoding.crf = crf
        configuration.encoding.bitrate = bitrate?.value
        configuration.encoding.maxBitrate = maxBitrate?.value
        configuration.encoding.effectBits = effectBits
        configuration.encoding.preset = preset
        configuration.encoding.pixelFormat = pixelFormat
    }
}

extension EncodingOptions.Codec {
    /// The worst quality that the encoders know; they would take a higher number for this one.
    fileprivate var highestCRF: Double {
        switch self {
        case .h264, .hevc: 51
        case .vp9, .av1: 63
        }
    }
}
