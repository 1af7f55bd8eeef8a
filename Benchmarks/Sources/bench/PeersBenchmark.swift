import Foundation

/// Hands found, and CPU time spent, beside MediaPipe's Python Hands (video mode, every
/// frame, up to two hands) on the same clips.
///
/// Flourish analyses some of the frames; until the next one the detected hands count as present. In each frame up to two
/// hands of each program count, and a frame is *agreed* if Flourish has at least as many as the peer. The cost of the
/// start and of the first picture is excluded.
struct PeersBenchmark {
    let options: Options
    let media: Media
    /// A Python with MediaPipe.
    let python: String

    /// The helper's output for a clip.
    private struct PeerFinding: Decodable {
        var times: [Double]
        var hands: [Int]
        var cpu: Double
    }

    /// A line of `flourish inspect --json`.
    private struct Detection: Decodable {
        struct Hand: Decodable {}
        var time: Double
        var hands: [Hand]
    }

    private struct Tally {
        var frames = 0, peerHands = 0, ourHands = 0, peerFrames = 0, agreed = 0
        var peerCPU = 0.0, ourCPU = 0.0

        static func += (sum: inout Tally, part: Tally) {
            sum.frames += part.frames
            sum.peerHands += part.peerHands
            sum.ourHands += part.ourHands
            sum.peerFrames += part.peerFrames
            sum.agreed += part.agreed
            sum.peerCPU += part.peerCPU
            sum.ourCPU += part.ourCPU
        }
    }

    func run() throws -> Table {
        var table = Table(
            name: "peers",
            title: "Hands found beside MediaPipe's Python Hands 0.10.21 (video mode, every frame)",
            columns: [
                "clip", "frames", "its hands", "our hands", "of its frames with hands, we have as many",
                "its CPU s", "our CPU s", "CPU ratio",
            ])
        var total = Tally()
        let clips = try media.clipsWithHands()
        let start = try startCost(clips[0])
        for clip in clips {
            var tally = try compare(clip)
            tally.ourCPU -= start
            total += tally
            table.rows.append(row(URL(filePath: clip).lastPathComponent, tally))
        }
        table.rows.append(row("all", total))
        let found = Double(total.ourHands) / Double(max(1, total.peerHands))
        let cost = total.ourCPU / total.peerCPU
        table.rows.append([
            .text("goal"), .text(""), .number(1, places: 2), .limit(found, places: 2, met: found >= 1),
            .text(""), .number(1, places: 2), .text(""), .limit(1.0 / 3, places: 2, met: cost <= 1.0 / 3),
        ])
        return table
    }

    /// The CPU seconds of a run over one frame.
    private func startCost(_ clip: String) throws -> Double {
        let frame = try media.firstFrame(of: clip)
        let costs = try (0..<5).map { _ in
            try Child.run([options.program, "inspect", "--json", frame], output: media.file("look.jsonl")).cpu
        }
        return costs.sorted()[costs.count / 2]
    }

    private func compare(_ clip: String) throws -> Tally {
        let helper = options.repository + "/Benchmarks/Peers/mediapipe_hands.py"
        let peer = try JSONDecoder().decode(
            PeerFinding.self, from: Child.output(of: [python, helper, clip], in: media.scratch))
        let file = media.file("looks.jsonl")
        let cost = try Child.run([options.program, "inspect", "--json", clip], output: file)
        let detections = try Data(contentsOf: URL(filePath: file)).split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(Detection.self, from: Data($0))
        }
        var tally = Tally()
        tally.peerCPU = peer.cpu
        tally.ourCPU = cost.cpu
        var next = 0, ours = 0
        for (time, theirs) in zip(peer.times, peer.hands) {
            while next < detections.count, detections[next].time <= time + 0.005 {
                ours = min(2, detections[next].hands.count)
                next += 1
            }
            tally.frames += 1
            tally.peerHands += theirs
            tally.ourHands += ours
            if theirs > 0 {
                tally.peerFrames += 1
                if ours >= theirs { tally.agreed += 1 }
            }
        }
        return tally
    }

    private func row(_ name: String, _ tally: Tally) -> [Table.Cell] {
        let share = Double(tally.agreed) / Double(max(1, tally.peerFrames)) * 100
        return [
            .text(name), .number(Double(tally.frames), places: 0),
            .number(Double(tally.peerHands), places: 0), .number(Double(tally.ourHands), places: 0),
            .text(tally.peerFrames == 0 ? "–" : String(format: "%.1f %%", share)),
            .number(tally.peerCPU, places: 2), .number(tally.ourCPU, places: 2),
            .number(tally.ourCPU / tally.peerCPU, places: 2),
        ]
    }
}
