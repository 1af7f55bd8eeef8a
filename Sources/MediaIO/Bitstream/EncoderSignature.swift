/// What an encoder writes of itself into a stream, which players and tools take for the whole file's.
enum EncoderSignature {
    /// `x264_sei_version_write` in x264's `encoder/set.c`.
    static let x264: [UInt8] = [
        0xDC, 0x45, 0xE9, 0xBD, 0xE6, 0xD9, 0x48, 0xB7, 0x96, 0x2C, 0xD8, 0x20, 0xD9, 0x23, 0xEE, 0xEF,
    ]
    /// libx265's has no UUID beside the one that it writes before everything.
    static let x265 = Array("x265 ".utf8)
}

extension SEIMessage {
    /// Whether it names the encoder.
    var isSignature: Bool {
        guard let data = userData else { return false }
        return data.starts(with: EncoderSignature.x264) || data.starts(with: EncoderSignature.x265)
    }
}
