/// An encoder of AV1 with a speed, which decides on the tools that its sequence header announces.
///
/// AV1 has one sequence header for all of a stream, so stretches can only be coded again by an encoder that announces the
/// same tools, and no more, as the source's did.
struct AV1Writer: Sendable, Hashable {
    /// FFmpeg's name of the encoder, and its preset.
    let encoder: String, preset: String

    /// The quickest first: libaom 3.6 announces other tools with most speeds. SVT-AV1 1.4 is left out: several of its
    /// encoders in one program ended it now and then ("double free").
    static let all = [8, 6, 5, 4, 3, 2, 1].map { AV1Writer(encoder: "libaom-av1", preset: String($0)) }
}
