import Foundation

/// The influence of effects on the encoded video, with and without the governor: H.264 veryfast at 1.5 Mb/s,
/// 1280×720, 30 frames a second, confetti in the middle.
///
/// The drawn frames are stored without loss and compared with the encoded ones; the reference of a clip is the same
/// seconds without effect.
struct EncoderBenchmark {
    let options: Options
    let media: Media

    static let rate = 1_500_000
    static let common =
        ["--no-gestures", "--no-config", "--preset", "veryfast", "--quiet", "--overwrite"] + Child.whole
    /// The behaviour without the governor: the same rate and all pieces of the effect.
    private static let flat = ["--bitrate", "\(rate)", "--max-bitrate", "\(rate)", "--effect-detail", "1"]
    private static let governed = ["--bitrate", "\(rate)"]
    private static let confetti = ["--reaction", "confetti@6"]

    func run() throws -> [Table] {
        let clips = try media.encoderClips()
        var tables = [try quality(clips), try averageRate(clips[0]), try ceiling(clips)]
        tables.append(try faces(clips.filter { $0.face != nil }))
        tables.append(try frameRate())
        tables.append(try cost(clips[0]))
        return tables
    }

    // MARK: Quality

    /// PSNR-Y before, during and after confetti.
    private func quality(_ clips: [EncoderClip]) throws -> Table {
        var table = Table(
            name: "encoder-quality",
            title: "PSNR-Y in dB against the same frames uncompressed: 1280×720, 1.5 Mb/s, "
                + "veryfast, confetti for 5.2 s; losses against the same seconds without effect",
            columns: [
                "clip", "rate", "pieces, %", "kb/s during", "times", "mean QP", "without effect", "during", "loss",
                "loss limit",
                "3 s after", "hangover limit",
            ])
        for clip in clips {
            let plain = media.file("plain.mp4")
            _ = try encode(clip.path, plain, Self.flat)
            let level = try quality(of: plain, against: clip.path)
            for (name, rate) in [("flat", Self.flat), ("governor", Self.governed)] {
                let output = media.file("\(name).mp4")
                let effect = try encode(clip.path, output, Self.confetti + rate).effects[0]
                let reference = try drawn(clip, detail: effect.detail)
                let result = try quality(of: output, against: reference)
                let during = effect.start..<effect.end, after = effect.end..<effect.end + 3
                let bits = effect.bits / (effect.end - effect.start) / 1000
                let loss = level.mean(during) - result.mean(during)
                let excessAfter = level.mean(after) - result.mean(after)
                let isGoverned = name == "governor"
                table.rows.append([
                    .text(clip.name), .text(name), .number(effect.detail * 100, places: 0), .number(bits, places: 0),
                    .number(bits * 1000 / Double(Self.rate), places: 2), .number(effect.meanQP, places: 1),
                    .number(level.mean(during), places: 2), .number(result.mean(during), places: 2),
                    .number(loss, places: 2), isGoverned ? .limit(2, places: 1, met: loss <= 2) : .text(""),
                    .number(-excessAfter, places: 2),
                    isGoverned ? .limit(-0.3, places: 1, met: excessAfter <= 0.3) : .text(""),
                ])
                media.remove(output)
                media.remove(reference)
            }
        }
        return table
    }

    /// Returns the clip with confetti of a number of pieces, without loss.
    private func drawn(_ clip: EncoderClip, detail: Double) throws -> String {
        let output = media.file("drawn.mkv")
        _ = try encode(
            clip.path, output, Self.confetti + ["--effect-detail", "\(detail)", "--crf", "0", "--preset", "ultrafast"])
        return output
    }

    /// Returns PSNR-Y of each frame, or SSIM of the luma within a part of it.
    private func quality(of video: String, against reference: String, within crop: String? = nil) throws -> Quality {
        let log = media.file("quality.log")
        // Containers round times differently: frames are paired by their number.
        let paired = (crop.map { "crop=\($0)," } ?? "") + "settb=1/30,setpts=N"
        let measure = crop == nil ? "psnr" : "ssim"
        _ = try Child.run([
            try Child.locate("ffmpeg"), "-nostdin", "-v", "error", "-threads", "2", "-i", video, "-i", reference,
            "-lavfi", "[0:v]\(paired)[a];[1:v]\(paired)[b];[a][b]\(measure)=stats_file=\(log)", "-an", "-f", "null",
            "-",
        ])
        return try Quality(log: log, field: crop == nil ? "psnr_y:" : "Y:", frameRate: 30)
    }

    // MARK: Faces

    /// SSIM of the luma within the face, with and without `--protect-face`.
    private func faces(_ clips: [EncoderClip]) throws -> Table {
        var table = Table(
            name: "encoder-faces",
            title: "--protect-face during confetti: SSIM-Y within the face, PSNR-Y of the whole picture",
            columns: ["clip", "rate", "face", "face protected", "whole", "whole, face protected", "gain", "limit"])
        for clip in clips {
            for (name, rate) in [("flat", Self.flat), ("governor", Self.governed)] {
                let results = try [[], ["--protect-face"]].map { more in
                    let output = media.file("face.mp4")
                    defer { media.remove(output) }
                    let effect = try encode(clip.path, output, Self.confetti + rate + more).effects[0]
                    let reference = try drawn(clip, detail: effect.detail)
                    defer { media.remove(reference) }
                    let during = effect.start..<effect.end
                    return (
                        face: try quality(of: output, against: reference, within: clip.face).mean(during),
                        whole: try quality(of: output, against: reference).mean(during)
                    )
                }
                let gain = results[1].face - results[0].face
                table.rows.append([
                    .text(clip.name), .text(name), .number(results[0].face, places: 4),
                    .number(results[1].face, places: 4), .number(results[0].whole, places: 2),
                    .number(results[1].whole, places: 2), .number(gain, places: 4),
                    .limit(0, places: 0, met: gain > 0),
                ])
            }
        }
        return table
    }

    // MARK: Rate

    /// The mean rate of a minute with one effect of four seconds.
    private func averageRate(_ clip: EncoderClip) throws -> Table {
        var table = Table(
            name: "encoder-rate", title: "A minute of \(clip.name) with four seconds of confetti: mean kb/s",
            columns: ["flat", "governor", "ratio", "limit"])
        let minute = try media.looped(clip.path, seconds: 60)
        let folder = try media.shortConfetti(seconds: 4)
        let effect = ["--effects", folder, "--reaction", "shortConfetti@20"]
        let rates = try [Self.flat, Self.governed].map { rate in
            let output = media.file("minute.mp4")
            defer { media.remove(output) }
            return try encode(minute, output, effect + rate).bits / 60 / 1000
        }
        let ratio = rates[1] / rates[0]
        table.rows.append([
            .number(rates[0], places: 0), .number(rates[1], places: 0), .number(ratio, places: 3),
            .limit(1.15, places: 2, met: ratio <= 1.15),
        ])
        return table
    }

    // MARK: Ceiling

    /// No frame above quantiser 30, and the frames dropped for it.
    private func ceiling(_ clips: [EncoderClip]) throws -> Table {
        var table = Table(
            name: "encoder-ceiling", title: "--max-frame-qp 30, confetti: quantisers as the slices' headers say",
            columns: ["clip", "rate", "frames", "largest QP", "above 30", "limit", "missing", "reported", "equal"])
        for clip in clips {
            for (name, rate) in [("flat", Self.flat), ("governor", Self.governed)] {
                let output = media.file("ceiling.mp4")
                let run = try encode(clip.path, output, Self.confetti + rate + ["--max-frame-qp", "30"])
                let quantisers = try Self.sliceQuantisers(of: output, in: media.scratch)
                let coarse = quantisers.count { $0 > 30 }
                let missing = clip.frames - quantisers.count
                table.rows.append([
                    .text(clip.name), .text(name), .number(Double(quantisers.count), places: 0),
                    .number(Double(quantisers.max() ?? 0), places: 0), .number(Double(coarse), places: 0),
                    .limit(0, places: 0, met: coarse == 0), .number(Double(missing), places: 0),
                    .number(Double(run.framesDropped), places: 0),
                    .limit(Double(missing), places: 0, met: missing == run.framesDropped),
                ])
                media.remove(output)
            }
        }
        return table
    }

    // MARK: Frame rate

    /// 60 frames a second outside of effects, 30 within.
    private func frameRate() throws -> Table {
        var table = Table(
            name: "encoder-frame-rate", title: "--effects-fps 30 on 60 frames a second",
            columns: ["during effects", "limit", "outside", "limit ", "times moved", "limit  ", "audio", "untouched"])
        let input = try media.talkingHead(height: 720, seconds: 10, rate: 60)
        let output = media.file("paced.mp4")
        let span = try encode(input, output, ["--reaction", "thumbsUp@3", "--effects-fps", "30"]).effects[0]
        let (all, some) = (try times(input), try times(output))
        let during = some.count { $0 >= span.start && $0 < span.end }
        let outside = some.count - during
        let inner = Double(during) / (span.end - span.start)
        let outer = Double(outside) / (10 - (span.end - span.start))
        let known = Set(all.map { Int(($0 * 1e4).rounded()) })
        let moved = some.count { !known.contains(Int(($0 * 1e4).rounded())) }
        let hashes = try [input, output].map(audioHash)
        table.rows.append([
            .number(inner, places: 1), .limit(30, places: 0, met: abs(inner - 30) < 0.5), .number(outer, places: 1),
            .limit(60, places: 0, met: abs(outer - 60) < 0.5), .number(Double(moved), places: 0),
            .limit(0, places: 0, met: moved == 0), .text(hashes[0] == hashes[1] ? "the same" : "another"),
            .limit(1, places: 0, met: hashes[0] == hashes[1]),
        ])
        return table
    }

    private func times(_ video: String) throws -> [Double] {
        String(
            decoding: try Child.output(
                of: [
                    try Child.locate("ffprobe"), "-v", "error", "-select_streams", "v", "-show_entries",
                    "packet=pts_time",
                    "-of", "csv=p=0", video,
                ], in: media.scratch), as: UTF8.self
        ).split(whereSeparator: { $0 == "\n" || $0 == "," }).compactMap { Double($0) }.sorted()
    }

    private func audioHash(_ video: String) throws -> Data {
        try Child.output(
            of: [
                try Child.locate("ffmpeg"), "-nostdin", "-v", "error", "-i", video, "-map", "0:a?", "-c", "copy", "-f",
                "md5", "-",
            ], in: media.scratch)
    }

    // MARK: Cost

    /// Without an effect the governor changes no bit, so the difference is its own cost.
    private func cost(_ clip: EncoderClip) throws -> Table {
        var table = Table(
            name: "encoder-cost",
            title: "The governor's own CPU time: \(clip.name) without effects; the least of "
                + "\(options.rounds) alternating runs. The limit is 0.5 % or what equal runs differ by",
            columns: ["without, CPU s", "with, CPU s", "difference, %", "limit, %"])
        var costs: [[Double]] = [[], []]
        for _ in 0..<options.rounds {
            for (index, rate) in [Self.flat, Self.governed].enumerated() {
                let output = media.file("cost.mp4")
                costs[index].append(
                    try Child.run([options.program, "filter", clip.path, output] + Self.common + rate).cpu)
                media.remove(output)
            }
        }
        let minimum = costs.map { $0.min() ?? .nan }
        let difference = (minimum[1] / minimum[0] - 1) * 100
        let noise = (median(costs[0]) / minimum[0] - 1) * 100
        let limit = max(0.5, noise)
        table.rows.append([
            .number(minimum[0], places: 2), .number(minimum[1], places: 2), .number(difference, places: 2),
            .limit(limit, places: 2, met: difference <= limit),
        ])
        return table
    }

    // MARK: Running

    /// Filters and reads the run's events.
    private func encode(_ input: String, _ output: String, _ more: [String]) throws -> EncoderRun {
        try EncoderRun(
            events: Child.output(
                of: [options.program, "filter", input, output, "--events", "-"] + Self.common + more, in: media.scratch),
            output: output)
    }

    /// Returns the quantiser of each frame's first slice from FFmpeg's `trace_headers`.
    static func sliceQuantisers(of video: String, in scratch: URL) throws -> [Int] {
        let log = scratch.appending(path: "trace.log")
        // The trace goes to the standard error, which a shell redirects to a file.
        _ = try Child.run([
            "/bin/sh", "-c",
            "exec ffmpeg -nostdin -hide_banner -i \"$0\" -map 0:v -c copy -bsf:v trace_headers -f null - 2>\"$1\"",
            video, log.path,
        ])
        var initial = 26, all: [Int] = []
        for line in String(decoding: try Data(contentsOf: log), as: UTF8.self).split(separator: "\n") {
            let isInitial = line.contains(" pic_init_qp_minus26 ")
            guard isInitial || line.contains(" slice_qp_delta "),
                let value = line.split(separator: " ").last.flatMap({ Int($0) })
            else { continue }
            if isInitial { initial = 26 + value } else { all.append(initial + value) }
        }
        return all
    }
}
