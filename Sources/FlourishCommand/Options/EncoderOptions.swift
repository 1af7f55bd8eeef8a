import ArgumentParser
import Flourish

/// The options that choose how any video is encoded.
typealias EncoderOptions = SettingOptions<EncoderGroup>
/// The options that choose how the video of a run is encoded: all options of the encoder, the rate, and the share of
/// effects.
typealias RunEncoderOptions = SettingOptions<RunEncoderGroup>

enum EncoderGroup: SettingGroup {
    static let settings = ["codec", "crf", "preset", "pixel-format"].map { SettingKey.declared("encoding.\($0)") }
}

extension EncoderOptions {
    /// Refuses options that have no effect on an output of uncompressed pictures.
    ///
    /// - Parameters:
    ///   - coding: Options of the encoder, each with a Boolean value that indicates whether it is given.
    ///   - format: The name of the output's container; `nil` if it follows from the path.
    static func refuse(_ coding: [(String, Bool)], for output: String, format: String? = nil) throws(FlourishError) {
        guard let container = Settings.uncompressedContainer(of: output, format: format),
            let option = coding.first(where: { $0.1 && !effectiveUncompressed.contains($0.0) })?.0
        else { return }
        throw FlourishError(
            .usage, "\(output): \(container) holds uncompressed video; remove \(option)")
    }

    /// The encoder options that affect uncompressed outputs as well.
    private static let effectiveUncompressed: Set = ["--pixel-format", "--smart-render"]
}

enum RunEncoderGroup: SettingGroup {
    static let settings = SettingKey.options(
        of: "encoding",
        beginningWith: EncoderGroup.settings.map(\.name)
            + [
                "smart-render", "bitrate", "max-bitrate", "max-frame-qp", "max-frame-qp-effects", "effect-bits",
                "protect-face",
            ].map { "encoding.\($0)" })
}

extension RunEncoderOptions {
    /// The options that have no effect on uncompressed pictures and overlays, each with a Boolean value that indicates
    /// whether it is given. Options that choose how much of an effect is drawn do affect them, and are not listed.
    var coding: [(String, Bool)] { given.filter { !["--effects-fps", "--effect-detail"].contains($0.0) } }
}

extension CompletionKind {
    /// The pixel formats that shells offer for an option that also accepts others.
    static var pixelFormats: CompletionKind { .list(EncodingOptions.usualPixelFormats) }
}
