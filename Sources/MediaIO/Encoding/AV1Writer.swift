/// An encoder of AV1 with a speed, which decides on the tools that its sequence header announces.
///
/// AV1 has one sequence header for all of a stream, so stretches can only be coded again by an encoder that announces the
/// same tools, and no more, as the source's did.
struct AV1Writer: Sendable, Hashable {
    /// FFmpeg's name of the encoder, and its preset.
    let encoder: String, preset: String

    /// The quickest first. SVT-AV1 1.4 announces the same tools with presets from 9 on, from 3 to 8, and below; libaom 3.6
    /// others with most speeds.
    static let all =
        [10, 8].map { AV1Writer(encoder: "libsvtav1", preset: String($0)) }
        + [8, 6, 5, 4, 3].map { AV1Writer(encoder: "libaom-av1", preset: String($0)) }
        + [AV1Writer(encoder: "libsvtav1", preset: "2")]
        + [2, 1].map { AV1Writer(encoder: "libaom-av1", preset: String($0)) }
}
