import Foundation

/// The input of a soak run in real time: one stream through a pipe, or the same piece in a loop over the network,
/// with lost connections and pauses between.
struct SoakFeed {
    enum Way {
        /// A pipe with this container.
        case pipe(String)
        /// MPEG-TS over TCP, to the port on which the program listens.
        case network(port: Int)
    }

    /// The duration of a piece over the network, and of the pause after it, in seconds.
    private static let (piece, pause) = (40, 3)

    let way: Way
    let input: String
    /// The duration of each stream, in seconds, and their number.
    let seconds: Int, count: Int

    init(_ way: Way, _ input: String, seconds: Int) {
        self.way = way
        self.input = input
        switch way {
        case .pipe: (self.seconds, count) = (seconds, 1)
        case .network: (self.seconds, count) = (Self.piece, max(2, seconds / (Self.piece + Self.pause)))
        }
    }

    /// The settling time at the beginning, in seconds: until all is loaded, and the input was restored once.
    var settling: Double {
        switch way {
        case .pipe: 30
        case .network: Double(Self.piece + Self.pause) + 20
        }
    }

    /// Its name in a table.
    var name: String {
        switch way {
        case .pipe(let container): container
        case .network: "mpegts by TCP, lost \(count - 1) times"
        }
    }

    /// The program's input arguments.
    var arguments: [String] {
        switch way {
        case .pipe: ["-"]
        case .network(let port):
            [
                "tcp://127.0.0.1:\(port)?listen", "--input-format", "mpegts", "--input-reconnect", "1",
                "--input-timeout", "10",
            ]
        }
    }

    /// FFmpeg's input and output container options for copying.
    private var copying: [String] {
        let container = if case .pipe(let container) = way { container } else { "mpegts" }
        return ["-stream_loop", "-1", "-i", input, "-t", "\(seconds)", "-c", "copy", "-f", container]
    }

    /// Returns the times of one repetition.
    func times(_ media: Media) throws -> PacketTimes {
        let file = media.file("soak-fed")
        defer { media.remove(file) }
        try media.ffmpeg(copying + [file])
        return try PacketTimes(of: file, in: media.scratch)
    }

    /// Starts a program that reads it, and feeds it on a thread of its own until the end.
    func start(_ program: Process) throws {
        switch way {
        case .pipe:
            let (feeder, pipe) = (try sender(to: "-"), Pipe())
            feeder.standardOutput = pipe
            program.standardInput = pipe
            try program.run()
            try feeder.run()
            // Both processes have inherited their ends of it.
            try pipe.fileHandleForReading.close()
            try pipe.fileHandleForWriting.close()
        case .network(let port):
            program.standardInput = FileHandle.nullDevice
            try program.run()
            Thread { [self] in
                for _ in 0..<count where program.isRunning {
                    // Retries until the program listens.
                    while program.isRunning {
                        guard let sender = try? sender(to: "tcp://127.0.0.1:\(port)"), (try? sender.run()) != nil
                        else { return }
                        sender.waitUntilExit()
                        if sender.terminationStatus == 0 { break }
                        Thread.sleep(forTimeInterval: 0.2)
                    }
                    Thread.sleep(forTimeInterval: Double(Self.pause))
                }
            }.start()
        }
    }

    private func sender(to place: String) throws -> Process {
        let sender = Process()
        sender.executableURL = URL(filePath: try Child.locate("ffmpeg"))
        sender.arguments = ["-nostdin", "-v", "quiet", "-re"] + copying + [place]
        (sender.standardInput, sender.standardOutput) = (FileHandle.nullDevice, FileHandle.nullDevice)
        return sender
    }
}
