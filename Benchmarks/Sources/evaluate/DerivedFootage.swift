import Foundation

/// False triggers in footage that is derived from other footage: more time, and harder than most.
struct DerivedFinding: Encodable, Sendable {
    /// The derivation.
    var kind: String
    var clips = 0
    var hours = 0.0
    var falseTriggers: [Report.FalseTrigger] = []
}

/// Derives footage without gestures from existing footage: each video mirrored, slowed, darker and brighter; and each
/// picture without a gesture held for three seconds before a camera that moves a little. The latter is the hardest
/// test: a near miss never lasts that long.
struct DerivedFootage: Sendable {
    let footage: Footage
    let labels: Labels
    let program: Program
    let scratch: URL
    let jobs: Int

    /// FFmpeg's filters, by their effect on a video.
    private static let changes = [
        ("mirrored", "hflip"), ("at half the speed", "setpts=2*PTS"),
        ("darker", "lutyuv=y='16+(val-16)*0.5'"), ("brighter", "lutyuv=y='min(235,16+(val-16)*1.5)'"),
    ]
    /// The seconds for which a picture is held, and of the pause after it.
    private static let stillTime = (held: 3, pause: 1)
    private static let batchSize = 24

    func findings() throws -> [DerivedFinding] {
        let videos = footage.videos.filter { labels.video($0)?.holds.isEmpty == true }
        var all = try Self.changes.map { name, filter in
            let parts = try inParallel(videos, jobs: jobs) { try watch($0, through: filter) }
            return sum(of: parts, kind: "videos \(name)")
        }
        let pictures = footage.images.filter { labels.image($0)?.gesture == nil }
        let batches = stride(from: 0, to: pictures.count, by: Self.batchSize).map {
            Array(pictures[$0..<min($0 + Self.batchSize, pictures.count)])
        }
        all.append(
            sum(of: try inParallel(batches, jobs: jobs, hold), kind: "pictures held for 3 s"))
        return all.filter { $0.clips > 0 }
    }

    private func sum(of parts: [DerivedFinding], kind: String) -> DerivedFinding {
        parts.reduce(into: DerivedFinding(kind: kind)) { sum, part in
            sum.clips += part.clips
            sum.hours += part.hours
            sum.falseTriggers += part.falseTriggers
        }
    }

    private func watch(_ video: String, through filter: String) throws -> DerivedFinding {
        let result = try watch(["-i", footage.path(of: video), "-vf", filter])
        return DerivedFinding(
            kind: "", clips: 1, hours: result.seconds / 3600,
            falseTriggers: result.triggers.map { Report.FalseTrigger(path: video, trigger: $0) })
    }

    private func hold(_ pictures: [String]) throws -> DerivedFinding {
        let (held, pause) = Self.stillTime
        let inputs = pictures.flatMap {
            ["-loop", "1", "-framerate", "15", "-t", "\(held)", "-i", footage.path(of: $0)]
        }
        // A handheld camera: the picture drifts by about a hundredth of its size and is noisy.
        let parts = pictures.indices.map { index in
            "[\(index)]scale=640:480:force_original_aspect_ratio=decrease,pad=640:480:-1:-1,setsar=1,"
                + "zoompan=z='1.04+0.01*sin(on/9)':x='iw*0.01*(1+sin(on/7))':y='ih*0.01*(1+cos(on/8))'"
                + ":d=1:s=640x480:fps=15,noise=alls=5:allf=t,tpad=stop_duration=\(pause)[v\(index)];"
        }
        let names = pictures.indices.map { "[v\($0)]" }.joined()
        let graph = parts.joined() + names + "concat=n=\(pictures.count)"
        let result = try watch(inputs + ["-filter_complex", graph])
        return DerivedFinding(
            kind: "", clips: pictures.count, hours: Double(pictures.count * held) / 3600,
            falseTriggers: result.triggers.map { trigger in
                // A hold may count from before its picture; a gesture fires while the picture is shown.
                let index = min(pictures.count - 1, Int(trigger.time) / (held + pause))
                return Report.FalseTrigger(path: pictures[index], trigger: trigger)
            })
    }

    /// Makes a video and runs detection, without a cooldown, which would hide the second of two errors.
    private func watch(_ arguments: [String]) throws -> (triggers: [Trigger], seconds: Double) {
        let video = scratch.appending(path: UUID().uuidString + ".mp4")
        defer { try? FileManager.default.removeItem(at: video) }
        let ends = ["-nostdin", "-v", "error", "-y", "-threads", "1"]
        let coding = ["-an", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "18"]
        let even = "pad=ceil(iw/2)*2:ceil(ih/2)*2"
        let fitted = arguments.map { arguments.contains("-vf") && $0 == arguments.last ? "\($0),\(even)" : $0 }
        _ = try Program(path: "ffmpeg", scratch: scratch).output(ends + fitted + coding + [video.path])
        return try program.triggers(in: video.path, hold: Report.defaultHold, ["--cooldown", "0"])
    }
}
