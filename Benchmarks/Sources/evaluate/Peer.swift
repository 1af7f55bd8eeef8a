/// MediaPipe's canned gesture recogniser as the peer, run on videos by `Benchmarks/Peers/mediapipe_gestures.py`.
struct Peer: Sendable {
    /// Its results. It supports neither horns nor hearts.
    struct Findings: Encodable, Sendable {
        var holds: [HoldScore]
        /// For decoding and detection.
        var cpuSeconds: Double
    }

    /// A Python with MediaPipe.
    let python: Program
    let helper: String
    let model: String
    let footage: Footage
    let labels: Labels
    let jobs: Int

    /// The helper's output for a video.
    private struct Watched: Decodable, Sendable {
        struct Hold: Decodable {
            var triggers: [Trigger]
        }
        var seconds: Double
        var cpu: Double
        /// In the order of the request.
        var holds: [Hold]
    }

    /// Starting Python takes seconds; so each start processes several videos.
    private static let batchSize = 12

    /// - Parameter handTime: the seconds of each video with hands, as detected by Flourish.
    func findings(holds: [Double], handTime: [String: Double]) throws -> Findings {
        let videos = footage.videos
        let batches = stride(from: 0, to: videos.count, by: Self.batchSize).map {
            Array(videos[$0..<min($0 + Self.batchSize, videos.count)])
        }
        let watched = try inParallel(batches, jobs: jobs) { try watch($0, holds) }.flatMap { $0 }
        let scores = try holds.indices.map { index in
            let findings = try zip(videos, watched).map { path, result in
                VideoFinding(
                    path: path, seconds: result.seconds, label: try labels.video(of: path),
                    triggers: result.holds[index].triggers)
            }
            return HoldScore(hold: holds[index], findings, handTime: handTime)
        }
        return Findings(holds: scores, cpuSeconds: watched.reduce(0) { $0 + $1.cpu })
    }

    private func watch(_ videos: [String], _ holds: [Double]) throws -> [Watched] {
        let asked = holds.flatMap { ["--hold", "\($0)"] }
        let lines = try python.lines(
            [helper, "--model", model] + asked + ["--"] + videos.map(footage.path), as: Watched.self)
        guard lines.count == videos.count else {
            throw EvaluationError("the peer has \(lines.count) answers to \(videos.count) videos")
        }
        return lines
    }
}
