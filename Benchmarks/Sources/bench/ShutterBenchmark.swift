import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The distance of a photograph from the requested instant: every picture shows its own number, as twelve black and
/// white bars.
struct ShutterBenchmark {
    let options: Options
    let media: Media

    private static let rates = [30, 60]
    private static let shots = 20
    /// The number of bars, and their width.
    private static let bits = 12, bar = 16
    private static let width = 256, height = 64
    /// FFmpeg's picture of the number of its frame.
    private static let clock =
        "geq=lum='if(lt(X,\(bits * bar)),16+219*bitand(floor(N/pow(2,floor(X/\(bar)))),1),128)':cb=128:cr=128"

    func run() throws -> Table {
        var table = Table(
            name: "shutter",
            title:
                "Photographs of numbered pictures: how many pictures lie between the one asked for and the one shown",
            columns: ["", "pictures a second", "photographs", "of the very picture", "largest distance", "limit"])
        for rate in Self.rates {
            for (name, distances) in [
                ("recording, at a time", try recorded(rate)), ("live, at a time", try live(rate, namesTime: true)),
                ("live, what is seen now", try live(rate, namesTime: false)),
            ] {
                let largest = distances.map(abs).max() ?? 0
                table.rows.append([
                    .text(name), .number(Double(rate), places: 0), .number(Double(distances.count), places: 0),
                    .number(Double(distances.count { $0 == 0 }), places: 0), .number(Double(largest), places: 0),
                    .limit(1, places: 0, met: largest <= 1 && distances.count == Self.shots),
                ])
            }
        }
        return table
    }

    /// The source of numbered pictures.
    private func source(_ rate: Int) -> [String] {
        ["-f", "lavfi", "-i", "color=gray:s=\(Self.width)x\(Self.height):r=\(rate),format=yuv420p,\(Self.clock)"]
    }

    private func recorded(_ rate: Int) throws -> [Int] {
        let video = media.file("clock-\(rate).mp4")
        try media.ffmpeg(source(rate) + ["-t", "10", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "10", video])
        return try (0..<Self.shots).map { shot in
            let time = 0.7 + Double(shot) * 0.431
            let photo = media.file("clock.png")
            _ = try Child.run([
                options.program, "photo", video, "--at", "\(time)", "-o", photo, "-y", "--no-finish",
            ])
            return try number(in: photo) - Int((time + 0.0005) * Double(rate))
        }
    }

    /// - Parameter namesTime: indicates whether requests name an instant, a quarter of a second ago; otherwise they
    ///   mean the picture that is written at the moment.
    private func live(_ rate: Int, namesTime: Bool) throws -> [Int] {
        let socket = media.file("clock.sock"), folder = media.file("clock-photos")
        let feed =
            ([try Child.locate("ffmpeg"), "-v", "quiet", "-nostdin", "-re"] + source(rate) + ["-f", "rawvideo", "-"])
            .map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
        let process = Process(), output = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c", feed + #" | exec "$0" "$@""#, options.program, "filter", "-", "-", "--live", "--quiet",
            "--no-gestures",
            "--input-format", "rawvideo", "--video-size", "\(Self.width)x\(Self.height)", "--framerate", "\(rate)",
            "--output-format", "rawvideo", "--photos", folder, "--photo-type", "png", "--control", socket, "-y",
        ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let viewer = Viewer(output.fileHandleForReading)
        let client = try LiveSocket(socket)
        defer {
            client.say(#"{"command":"quit"}"#)
            process.waitUntilExit()
            withExtendedLifetime(viewer) {}
        }
        Thread.sleep(forTimeInterval: 2)
        var distances: [Int] = []
        for shot in 0..<Self.shots {
            Thread.sleep(forTimeInterval: 0.11 + 0.007 * Double(shot))
            let seen = viewer.newest
            var asked = seen
            if namesTime {
                asked = seen - rate / 4
                // The middle of the time for which it is shown.
                client.say(#"{"command":"photo","time":\#((Double(asked) + 0.5) / Double(rate))}"#)
            } else {
                client.say(#"{"command":"photo"}"#)
            }
            let answer = try client.line(with: "error")
            guard let path = answer.firstMatch(of: /"path":"([^"]+)"/)?.1 else { throw BenchError(answer) }
            distances.append(try number(in: String(path)) - asked)
        }
        return distances
    }

    /// The number that a picture shows.
    private func number(in picture: String) throws -> Int {
        let luma = try Child.output(
            of: [
                try Child.locate("ffmpeg"), "-nostdin", "-v", "error", "-i", picture, "-pix_fmt", "gray", "-f",
                "rawvideo", "-",
            ], in: media.scratch)
        guard luma.count == Self.width * Self.height else { throw BenchError("\(picture) has another size") }
        return Self.number(Array(luma))
    }

    /// - Parameter luma: row after row.
    private static func number(_ luma: [UInt8]) -> Int {
        let row = (height / 2) * width
        return (0..<bits).reduce(0) { $0 + (luma[row + $1 * bar + bar / 2] > 128 ? 1 << $1 : 0) }
    }

    /// Reads a live video, and knows the number of its latest picture.
    private final class Viewer: Sendable {
        private let last = Atomic(0)
        private let file: FileHandle

        init(_ file: FileHandle) {
            self.file = file
            let thread = Thread { [self] in read() }
            thread.start()
        }

        var newest: Int { last.load(ordering: .relaxed) }

        private func read() {
            let size = width * height * 3 / 2
            var bytes: [UInt8] = []
            while case let data = file.availableData, !data.isEmpty {
                bytes += data
                while bytes.count >= size {
                    last.store(ShutterBenchmark.number(bytes), ordering: .relaxed)
                    bytes.removeFirst(size)
                }
            }
        }
    }
}
