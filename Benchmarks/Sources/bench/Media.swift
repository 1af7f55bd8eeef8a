import Foundation

/// A clip for measurements of the encoder.
struct EncoderClip {
    var name: String
    var path: String
    var frames: Int
    /// True if it is a camera's recording.
    var isRecorded: Bool
    /// The face as an argument of FFmpeg's `crop`; `nil` if it is unknown.
    var face: String?
}

/// Makes the inputs, from real footage if available.
struct Media {
    let options: Options
    let scratch: URL

    /// Returns a talking head without gestures, recorded or drawn.
    func talkingHead() throws -> String {
        if let input = options.input { return input }
        let footage = "../shared/media/videos/negative/liveportrait_s18.mp4"
        let beside = options.repository + "/" + footage
        if FileManager.default.fileExists(atPath: beside) { return beside }
        return try drawnHead()
    }

    /// The puppet, its hands at rest, with a tone for a sound track.
    private func drawnHead() throws -> String {
        let script = scratch.appending(path: "still.json"), video = file("puppet.mp4")
        try Data(#"{"width":1280,"height":720,"rate":30,"duration":10,"cues":[]}"#.utf8)
            .write(to: script)
        _ = try Child.run([options.program, "puppet", script.path, video])
        return video
    }

    /// Returns the description of the input for a table.
    func describeTalkingHead() throws -> String {
        URL(filePath: try talkingHead()).lastPathComponent
    }

    /// The talking head, once more or less often, encoded at a size: H.264 with sound.
    ///
    /// - Parameters:
    ///   - height: 720 or 1080; the width follows at 16:9.
    ///   - rate: frames a second.
    func talkingHead(height: Int, seconds: Int, rate: Int = 30) throws -> String {
        let output = file("head-\(height)-\(seconds)-\(rate).mp4")
        if FileManager.default.fileExists(atPath: output) { return output }
        let width = height * 16 / 9
        let fit =
            "scale=\(width):\(height):force_original_aspect_ratio=decrease,"
            + "pad=\(width):\(height):-1:-1,setsar=1,fps=\(rate),format=yuv420p"
        try ffmpeg([
            "-stream_loop", "-1", "-i", try talkingHead(), "-t", "\(seconds)", "-vf", fit,
            "-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-c:a", "aac", output,
        ])
        return output
    }

    /// Returns a picture of the talking head at a height, as a background for effects.
    func picture(height: Int) throws -> String {
        let output = file("head-\(height).png")
        if FileManager.default.fileExists(atPath: output) { return output }
        let head = try talkingHead(height: height, seconds: 2)
        try ffmpeg(["-ss", "1", "-i", head, "-frames:v", "1", output])
        return output
    }

    /// Returns FFmpeg's input options for an animation of soft discs on a transparent ground, made beforehand:
    /// uncompressed RGBA, so that no decoder is measured.
    func animation(size: String) throws -> [String] {
        let output = file("animation-\(size).rgba")
        let reading = [
            "-f", "rawvideo", "-pix_fmt", "rgba", "-s", size, "-r", "30", "-stream_loop", "-1", "-i", output,
        ]
        if FileManager.default.fileExists(atPath: output) { return reading }
        // A third of a second in a loop is enough: the cost of overlay depends on no pixel's value.
        let alpha = "geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='128+127*sin(X/60+N)*sin(Y/60)'"
        try ffmpeg([
            "-f", "lavfi", "-i", "testsrc2=s=\(size):r=30", "-frames:v", "10", "-vf", "format=rgba,\(alpha)",
            "-f", "rawvideo", output,
        ])
        return reading
    }

    /// Returns clips with hands: footage, or else the puppet's call.
    func clipsWithHands() throws -> [String] {
        let folders = ["positive", "hard"].map {
            options.repository + "/../shared/media/videos/" + $0
        }
        let footage = folders.flatMap { folder in
            ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
                .filter { $0.hasSuffix(".mp4") }.map { folder + "/" + $0 }
        }
        guard footage.isEmpty else { return footage }
        let call = file("call.mp4")
        _ = try Child.run(
            [options.program, "puppet", options.repository + "/Assets/Puppet/call.json", call])
        return [call]
    }

    /// Returns a file repeated `count` times, its packets copied.
    func looped(_ input: String, count: Int) throws -> String {
        let output = file("looped-\(count).mp4")
        try ffmpeg(["-stream_loop", "\(count - 1)", "-i", input, "-c", "copy", output])
        return output
    }

    /// Returns a file in a loop for some seconds, its packets copied.
    func looped(_ input: String, seconds: Int) throws -> String {
        let output = file("looped-\(seconds)s.mp4")
        try ffmpeg(["-stream_loop", "-1", "-i", input, "-t", "\(seconds)", "-c", "copy", output])
        return output
    }

    /// Returns the clips for measurements of the encoder: two recorded talks, if available, and the puppet; 16 s of
    /// each at 1280×720 and 30 frames a second, almost lossless.
    func encoderClips() throws -> [EncoderClip] {
        let videos = options.repository + "/../shared/media/videos/"
        let recorded = [
            ("negative/liveportrait_s18.mp4", "240:320:580:100"), ("positive/thumb_up_720p.mp4", "280:420:460:120"),
        ].map { (path: videos + $0, face: Optional($1)) }.filter { FileManager.default.fileExists(atPath: $0.path) }
        let all = recorded + [(path: try drawnHead(), face: nil)]
        return try all.enumerated().map { index, clip in
            let source = clip.path
            let output = file("encoder-\(index).mp4")
            if !FileManager.default.fileExists(atPath: output) {
                try ffmpeg([
                    "-stream_loop", "-1", "-i", source, "-t", "16", "-an", "-vf",
                    "scale=1280:720,setsar=1,fps=30,format=yuv420p", "-c:v", "libx264", "-preset", "ultrafast",
                    "-crf", "4", output,
                ])
            }
            return EncoderClip(
                name: URL(filePath: source).deletingPathExtension().lastPathComponent, path: output,
                frames: 16 * 30, isRecorded: index < recorded.count,
                face: clip.face)
        }
    }

    /// A folder with confetti of another length, named `shortConfetti`.
    func shortConfetti(seconds: Double) throws -> String {
        let source = URL(filePath: options.repository + "/Assets/Reactions/confetti.json")
        guard var effect = try JSONSerialization.jsonObject(with: Data(contentsOf: source)) as? [String: Any]
        else { throw BenchError("confetti.json is no effect") }
        effect["type"] = "shortConfetti"
        effect["duration"] = seconds
        let folder = scratch.appending(path: "effects")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try JSONSerialization.data(withJSONObject: effect)
            .write(to: folder.appending(path: "shortConfetti.json"))
        return folder.path
    }

    /// A video of one frame.
    func firstFrame(of input: String) throws -> String {
        let output = file("first-frame.mp4")
        try ffmpeg(["-i", input, "-frames:v", "1", "-an", output])
        return output
    }

    /// A path in the temporary folder.
    func file(_ name: String) -> String { scratch.appending(path: name).path }

    /// Returns the seconds by which the sound of a file ends after its picture.
    func soundOffset(_ path: String) throws -> Double {
        func end(_ stream: String) throws -> Double {
            let data = try Child.output(
                of: [
                    try Child.locate("ffprobe"), "-v", "error", "-select_streams", stream, "-show_entries",
                    "packet=pts_time", "-of", "csv=p=0", path,
                ], in: scratch)
            let times = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
                .compactMap { Double($0.split(separator: ",").first ?? "") }
            return times.max() ?? .nan
        }
        return try end("a:0") - end("v:0")
    }

    /// Removes a large file early.
    func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    /// Runs `ffmpeg`; it overwrites existing files.
    func ffmpeg(_ arguments: [String]) throws {
        let common = ["-hide_banner", "-nostdin", "-v", "error", "-y"]
        _ = try Child.run([try Child.locate("ffmpeg")] + common + arguments)
    }
}
