import Foundation

/// Inputs that take minutes to make. They are kept in the cache folder, under names that change with their
/// definition.
extension Media {
    /// Five minutes of talks of real people without gestures, or of the resting puppet if there are none. 1280×720,
    /// 30 frames a second, H.264 and AAC with FFmpeg's defaults.
    func longTalk() throws -> String {
        let folder = options.repository + "/../shared/media/videos/negative/f2_"
        let talks = [
            "vomanagementconsul__khalila-interview", "thejoshperez__testimonial", "gonzagaa__assets-depoimento3",
            "vomanagementconsul__loft-interview", "Joeeeeca__videos-home-video1",
            "vomanagementconsul__selena-interview",
            "sahilfaizal01__drows",
        ].map { folder + $0 + ".mp4" }.filter { FileManager.default.fileExists(atPath: $0) }
        guard options.input == nil, !talks.isEmpty else { return try loopedTalk() }
        return try cached("talk-1.mp4") { output in
            let picture =
                "scale=1280:720:force_original_aspect_ratio=increase,crop=1280:720:(iw-ow)/2:(ih-oh)/4,"
                + "setsar=1,fps=30,format=yuv420p"
            let sound = "aresample=48000,aformat=channel_layouts=stereo"
            let parts = talks.indices.map { "[\($0):v]\(picture)[v\($0)];[\($0):a]\(sound)[a\($0)];" }
            let graph =
                parts.joined() + talks.indices.map { "[v\($0)][a\($0)]" }.joined()
                + "concat=n=\(talks.count):v=1:a=1[v][a]"
            try ffmpeg(
                talks.flatMap { ["-i", $0] } + [
                    "-filter_complex", graph, "-map", "[v]", "-map", "[a]", "-t", "300", "-c:v", "libx264", "-c:a",
                    "aac",
                    output,
                ])
        }
    }

    /// Returns one talk in a loop.
    private func loopedTalk() throws -> String {
        let talk = try talkingHead(height: 720, seconds: 20)
        let encode = { (output: String) in
            try ffmpeg(["-stream_loop", "-1", "-i", talk, "-t", "300", "-c:v", "libx264", "-c:a", "aac", output])
        }
        guard options.input == nil else {
            let output = file("talk.mp4")
            if !FileManager.default.fileExists(atPath: output) { try encode(output) }
            return output
        }
        return try cached("puppet-1.mp4", make: encode)
    }

    /// Returns a minute as recorded by a phone: HEVC, 1920×1080, 60 frames a second, an IDR each second, with a
    /// sensor's noise.
    func phone() throws -> String {
        let talk = try longTalk()
        let name = "phone-1-" + URL(filePath: talk).lastPathComponent
        let make = { (output: String) in
            try ffmpeg([
                "-i", talk, "-t", "30", "-vf", "scale=1920:1080,fps=60,noise=alls=4:allf=t", "-c:v", "libx265",
                "-preset",
                "fast", "-crf", "20", "-x265-params", "log-level=error:keyint=60:open-gop=0", "-tag:v", "hvc1", "-c:a",
                "copy",
                output,
            ])
        }
        let half: String
        if options.input == nil {
            half = try cached(name, make: make)
        } else {
            half = file(name)
            try make(half)
        }
        return try looped(half, seconds: 60)
    }

    /// Returns a file of the cache folder, which is made if it is missing.
    private func cached(_ name: String, make: (String) throws -> Void) throws -> String {
        let folder = URL(filePath: options.cache)
        let path = folder.appending(path: name).path
        if FileManager.default.fileExists(atPath: path) { return path }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // An interrupted run leaves no file that appears complete.
        let part = folder.appending(path: "part-\(ProcessInfo.processInfo.processIdentifier)-\(name)").path
        defer { remove(part) }
        try make(part)
        try FileManager.default.moveItem(atPath: part, toPath: path)
        return path
    }
}
