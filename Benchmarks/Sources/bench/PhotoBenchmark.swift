import Foundation

/// The quality and duration of photographs: the moving puppet, under known noise, compared with the clean picture,
/// and with FFmpeg's filters on the same frames.
struct PhotoBenchmark {
    let options: Options
    let media: Media

    /// The strength of FFmpeg's `noise`; its deviation is about 0.57 of it.
    private static let noises = [9, 18, 35]
    /// The instant, in seconds, and the same as a frame.
    private static let time = 1.0, frame = 30
    /// The minimum gain of fused photographs in decibels.
    private static let minimumGain = 6.0
    /// Milliseconds for a picture of 1080p.
    private static let limits = ["balanced": 150.0, "quality": 800.0]

    /// The output of `flourish photo --json`.
    private struct Line: Decodable {
        struct Resolved: Decodable {
            var frames: Int
            /// Seconds from the frames to the bytes of the file.
            var processingTime: Double
        }
        var resolvedSettings: Resolved
    }

    func run() throws -> [Table] {
        let clean = try clean(width: 1280, height: 720)
        return [try quality(clean), try times(), try ShutterBenchmark(options: options, media: media).run()]
    }

    /// The puppet with its hands in motion, without loss.
    private func clean(width: Int, height: Int) throws -> String {
        let script = media.file("photo-\(height).json"), drawn = media.file("photo-\(height).mp4")
        let lossless = media.file("photo-\(height).mkv")
        try Data(
            #"{"width":\#(width),"height":\#(height),"rate":30,"duration":2,"cues":[{"time":0.8,"pose":"victory","hands":"left","hold":1,"rise":0.5}]}"#
                .utf8
        ).write(to: URL(filePath: script))
        _ = try Child.run([options.program, "puppet", script, drawn, "--quiet"])
        try media.ffmpeg(["-i", drawn, "-pix_fmt", "yuv420p", "-c:v", "ffv1", lossless])
        return lossless
    }

    private func noisy(_ clean: String, _ strength: Int) throws -> String {
        let output = media.file("noisy-\(strength).mkv")
        let filter = "noise=c0s=\(strength):c1s=\(strength):c2s=\(strength):c0f=t:c1f=t:c2f=t:all_seed=7"
        try media.ffmpeg(["-i", clean, "-vf", filter, "-c:v", "ffv1", output])
        return output
    }

    private func quality(_ clean: String) throws -> Table {
        var table = Table(
            name: "photo",
            title: "Photographs of the puppet under noise, 1280×720: luma beside the clean picture",
            columns: ["noise", "", "PSNR, dB", "gain, dB", "SSIM", "CPU, ms", "limit, dB"])
        let original = media.file("original.nut")
        try picture(of: clean, filter: nil, original)
        for strength in Self.noises {
            let noisy = try noisy(clean, strength)
            let single = media.file("single.nut")
            try picture(of: noisy, filter: nil, single)
            let before = try likeness(single, original)
            table.rows.append([
                .number(Double(strength), places: 0), .text("one frame"), .number(before.psnr, places: 1),
                .number(0, places: 1), .number(before.ssim, places: 3), .text(""), .text(""),
            ])
            for name in ["balanced", "quality"] {
                let photo = media.file("photo.png")
                let cost = try Child.run([
                    options.program, "photo", noisy, "--at", "\(Self.time)", "-o", photo, "-y", "--photo-quality", name,
                    "--no-finish",
                ])
                let after = try likeness(photo, original)
                let gain = after.psnr - before.psnr
                table.rows.append([
                    .text(""), .text(name), .number(after.psnr, places: 1), .number(gain, places: 1),
                    .number(after.ssim, places: 3), .number(cost.cpu * 1000, places: 0),
                    .limit(Self.minimumGain, places: 0, met: gain >= Self.minimumGain),
                ])
            }
            for (name, filter) in Self.peers(strength) {
                let other = media.file("other.nut")
                let cost = try picture(of: noisy, filter: filter, other)
                let after = try likeness(other, original)
                table.rows.append([
                    .text(""), .text(name), .number(after.psnr, places: 1),
                    .number(after.psnr - before.psnr, places: 1), .number(after.ssim, places: 3),
                    .number(cost.cpu * 1000, places: 0), .text(""),
                ])
            }
        }
        return table
    }

    /// FFmpeg's filters, each with the known strength of the noise and the best factor on it.
    private static func peers(_ strength: Int) -> [(String, String)] {
        let deviation = Double(strength) * 0.57
        let share = min(0.008 * deviation, 0.3), sum = min(0.04 * deviation, 5)
        let thresholds = (0...2).map { "\($0)a=\(share):\($0)b=\(sum)" }.joined(separator: ":")
        return [
            ("nlmeans", "nlmeans=s=\(0.85 * deviation)"),
            ("hqdn3d", "hqdn3d=\(1.6 * deviation):\(1.6 * deviation):\(2.4 * deviation):\(2.4 * deviation)"),
            ("atadenoise", "atadenoise=s=15:\(thresholds)"),
        ]
    }

    /// The frame of the instant, without loss, and the cost of it with the frames before and after it.
    @discardableResult
    private func picture(of video: String, filter: String?, _ output: String) throws -> Cost {
        let select = "select=eq(n\\,\(Self.frame))"
        // A filter for single frames gets only one.
        let chain =
            filter.map { $0.hasPrefix("nlmeans") ? "\(select),\($0)" : "\($0),\(select)" } ?? select
        return try Child.run(
            [
                try Child.locate("ffmpeg"), "-nostdin", "-y", "-v", "error", "-threads", "1", "-filter_threads", "1",
                "-i", video, "-vf", chain, "-frames:v", "1", "-c:v", "rawvideo", output,
            ])
    }

    /// Converts a photograph's RGB to the video's samples exactly: FFmpeg's default is a code too dark, which equals
    /// the remaining noise.
    private static let samples =
        "scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+full_chroma_inp,format=yuv420p"

    /// Returns the similarity of a picture to the original.
    private func likeness(_ picture: String, _ original: String) throws -> (psnr: Double, ssim: Double) {
        func figure(_ filter: String, _ name: String) throws -> Double {
            let log = media.file("likeness.log")
            _ = try Child.run([
                "/bin/sh", "-c", #"exec "$0" "$@" 2> '"# + log + "'", try Child.locate("ffmpeg"), "-nostdin",
                "-hide_banner", "-i", picture, "-i", original, "-lavfi",
                "[0:v]\(picture.hasSuffix(".png") ? Self.samples : "null")[a];[a][1:v]\(filter)", "-f", "null", "-",
            ])
            let text = try String(contentsOfFile: log, encoding: .utf8)
            let value = text.components(separatedBy: name).last?.prefix { $0.isNumber || $0 == "." } ?? ""
            guard let number = Double(value) else { throw BenchError("FFmpeg's \(filter) said nothing") }
            return number
        }
        return (try figure("psnr", " y:"), try figure("ssim", " Y:"))
    }

    /// The cost of fusion: the additional time for a photograph over its frame alone, on one core. It excludes
    /// decoding the frames around it, which a stream has done anyway; the processor time of the whole program
    /// includes it.
    private func times() throws -> Table {
        var table = Table(
            name: "photo times", title: "Photographs of 1920×1080 as JPEG, all of it noisy",
            columns: ["", "frames", "program, CPU ms", "processing, ms", "beyond speed, ms", "limit"])
        let noisy = try noisy(try clean(width: 1920, height: 1080), Self.noises[1])
        var alone = 0.0
        for name in ["speed", "balanced", "quality"] {
            let command = [
                options.program, "photo", noisy, "--at", "\(Self.time)", "-o", media.file("time.jpg"), "-y",
                "--photo-quality", name, "--json",
            ]
            let lines = try (0..<max(options.rounds, 5)).map { _ in
                try JSONDecoder().decode(Line.self, from: try Child.output(of: command, in: media.scratch))
            }
            // Other load on the machine makes it slower, never faster.
            let processing = (lines.map(\.resolvedSettings.processingTime).min() ?? 0) * 1000
            let cost = try (0..<options.rounds).map { _ in try Child.run(command).cpu * 1000 }.min() ?? 0
            if name == "speed" { alone = processing }
            let fusing = processing - alone
            table.rows.append([
                .text(name), .number(Double(lines[0].resolvedSettings.frames), places: 0), .number(cost, places: 0),
                .number(processing, places: 0), .number(fusing, places: 0),
                Self.limits[name].map { .aim($0, places: 0, reached: fusing <= $0) } ?? .text(""),
            ])
        }
        return table
    }
}
