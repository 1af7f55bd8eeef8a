import FoundationEssentials

/// One line of `--progress json`.
struct ProgressRecord: Encodable {
    /// `looking` or `rendering`; absent where the video is gone over once.
    var pass: String?
    var frames: Int
    /// Seconds of video that lie behind.
    var seconds: Double
    /// 0…1; absent where the input does not say how long it is.
    var fraction: Double?
    var framesPerSecond: Double
    /// Estimated seconds to go.
    var remainingSeconds: Double?
    var effects: Int

    var line: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(self) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}
