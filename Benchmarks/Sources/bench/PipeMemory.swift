import Foundation

/// Memory growth with an endless stream in one of the containers for pipes: an index that is kept grows with each
/// packet.
struct PipeMemory {
    let options: Options
    let media: Media

    private static let containers = ["nut", "matroska", "mpegts", "flv", "mp4"]
    /// Many small packets in little time. NUT's index took 126 bytes for each, 5 MB for all.
    private static let frames = 40_000
    private static let rate = 25
    /// The allowed growth of memory in bytes, after a third of the time.
    private static let limit = 2e6

    func run() throws -> Table {
        var table = Table(
            name: "live-containers", title: "\(Self.frames) frames of 64×48 and their sound, from pipe to pipe",
            columns: ["container", "memory at the end in MB", "growth in MB", "limit"])
        let piece = media.file("pipe-piece.mkv")
        try media.ffmpeg(
            [
                "-f", "lavfi", "-i", "testsrc2=s=64x48:r=\(Self.rate):d=40", "-f", "lavfi", "-i", "sine=d=40", "-c:v",
                "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac", piece,
            ])
        defer { media.remove(piece) }
        for container in Self.containers {
            let samples = try watch(container, piece)
            guard let last = samples.last else { throw BenchError("\(container): the run was over at once") }
            let growth = last - samples[samples.count / 3]
            table.rows.append([
                .text(container), .number(last / 1e6, places: 1), .number(growth / 1e6, places: 1),
                .limit(Self.limit / 1e6, places: 0, met: growth <= Self.limit),
            ])
        }
        return table
    }

    /// Bytes of memory, ten times a second.
    private func watch(_ container: String, _ piece: String) throws -> [Double] {
        let feeder = Process(), program = Process(), pipe = Pipe()
        feeder.executableURL = URL(filePath: try Child.locate("ffmpeg"))
        feeder.arguments =
            [
                "-nostdin", "-v", "quiet", "-stream_loop", "-1", "-i", piece, "-t", "\(Self.frames / Self.rate)", "-c",
                "copy",
            ]
            + (container == "mp4" ? ["-movflags", "+frag_keyframe+empty_moov+default_base_moof"] : [])
            + ["-f", container, "-"]
        (feeder.standardInput, feeder.standardOutput) = (FileHandle.nullDevice, pipe)
        program.executableURL = URL(filePath: options.program)
        program.arguments = [
            "filter", "-", "-", "--output-format", container, "--no-gestures", "--preset", "ultrafast", "--crf", "40",
            "--quiet",
        ]
        (program.standardInput, program.standardOutput) = (pipe, FileHandle.nullDevice)
        try program.run()
        try feeder.run()
        try pipe.fileHandleForReading.close()
        try pipe.fileHandleForWriting.close()
        var samples: [Double] = []
        while program.isRunning {
            Thread.sleep(forTimeInterval: 0.1)
            // The memory while the program ends does not count.
            if feeder.isRunning, let now = LiveMemory.resident(program.processIdentifier) { samples.append(now) }
        }
        program.waitUntilExit()
        guard program.terminationStatus == 0 else { throw BenchError("\(container): the run failed") }
        return samples
    }
}
