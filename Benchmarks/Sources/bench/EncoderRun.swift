import Foundation

/// The events of a run of `flourish filter`, and the size of its output.
struct EncoderRun {
    /// An effect that was shown.
    struct Effect {
        var start: Double
        var end: Double
        var bits: Double
        var meanQP: Double
        /// The share of its pieces that was drawn.
        var detail: Double
    }

    var effects: [Effect] = []
    var framesDropped = 0
    /// The size of the output.
    var bits = 0.0

    /// - Throws: ``BenchError`` if a requested effect was not shown.
    init(events: Data, output: String) throws {
        var details: [Int: Double] = [:]
        for line in events.split(separator: UInt8(ascii: "\n")) {
            guard let event = try JSONSerialization.jsonObject(with: line) as? [String: Any] else { continue }
            switch event["event"] as? String {
            case "effectStarted": details[event["id"] as? Int ?? 0] = event["detail"] as? Double
            case "effectEnded":
                let encoder = event["encoder"] as? [String: Any] ?? [:]
                effects.append(
                    Effect(
                        start: event["startTime"] as? Double ?? 0, end: event["endTime"] as? Double ?? 0,
                        bits: encoder["bits"] as? Double ?? 0, meanQP: encoder["meanQP"] as? Double ?? .nan,
                        detail: details[event["id"] as? Int ?? 0] ?? 1))
            case "streamEnded": framesDropped = event["framesDropped"] as? Int ?? 0
            default: break
            }
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: output)
        bits = Double((attributes[.size] as? Int ?? 0) * 8)
    }
}

/// The similarity of each frame to a reference.
struct Quality {
    private let frameRate: Double
    /// For each frame: PSNR in dB, at most 100, or SSIM.
    private let values: [Double]

    /// - Parameters:
    ///   - log: the output of FFmpeg's `psnr` or `ssim` filter.
    ///   - field: the name of the value, with its colon.
    init(log: String, field: String, frameRate: Double) throws {
        self.frameRate = frameRate
        values = String(decoding: try Data(contentsOf: URL(filePath: log)), as: UTF8.self)
            .split(separator: "\n").compactMap { line in
                line.split(separator: " ").first { $0.hasPrefix(field) }
                    .map { min(Double($0.dropFirst(field.count)) ?? 100, 100) }
            }
    }

    /// The mean over the frames of some seconds.
    func mean(_ seconds: Range<Double>) -> Double {
        let first = min(Int((seconds.lowerBound * frameRate).rounded()), values.count)
        let end = min(Int((seconds.upperBound * frameRate).rounded()), values.count)
        return values[first..<end].reduce(0, +) / Double(end - first)
    }
}
