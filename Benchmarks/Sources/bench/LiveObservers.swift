import Foundation

/// The delay of a live video by clients that observe and control it: 720p30 in real time from pipe to pipe, raw on
/// both sides so that no codec is measured, with gesture recognition and a running effect.
struct LiveObserversBenchmark {
    let options: Options
    let media: Media

    private static let seconds = 20
    private static let observers = 100, stuck = 10
    /// The milliseconds by which observers may increase the 99th percentile of latency. Two equal runs differ by as
    /// much.
    private static let limit = 1.0
    /// One frame and 5 ms, in milliseconds.
    private static let answerLimit = 1000 / Double(LivePipe.rate) + 5
    private static let types = ["balloons", "heart", "confetti", "fireworks", "lasers", "rain", "thumbsUp"]

    func run() throws -> [Table] {
        let frames = try rawFrames()
        return [try observersTable(frames), try answersTable(frames)]
    }

    // MARK: Observers

    private func observersTable(_ frames: [Data]) throws -> Table {
        var table = Table(
            name: "liveObservers",
            title:
                "Observers of a live video: how long a frame is inside, in ms, pipe to pipe; 1280×720 at 30 a second, "
                + "\(Self.seconds) s of \(try media.describeTalkingHead()); the medians of \(options.rounds) alternating runs",
            columns: ["observers", "p50", "p99", "p99 more than without", "limit"])
        var alone: [[Double]] = [], watched: [[Double]] = []
        for _ in 0..<options.rounds {
            alone.append(try latencies(frames, observers: 0, stuck: 0))
            watched.append(try latencies(frames, observers: Self.observers, stuck: Self.stuck))
        }
        func median(_ runs: [[Double]], _ share: Double) -> Double {
            percentile(runs.map { percentile($0, share) }, 0.5)
        }
        let base = median(alone, 0.99), other = median(watched, 0.99)
        table.rows.append([
            .text("none"), .number(median(alone, 0.5), places: 2), .number(base, places: 2), .text("–"), .text("–"),
        ])
        table.rows.append([
            .text("\(Self.observers), \(Self.stuck) of them stuck"), .number(median(watched, 0.5), places: 2),
            .number(other, places: 2), .number(other - base, places: 2),
            .limit(Self.limit, places: 1, met: other - base <= Self.limit),
        ])
        return table
    }

    /// Returns the latency of each frame except the first second's.
    private func latencies(_ frames: [Data], observers: Int, stuck: Int) throws -> [Double] {
        let path = media.file("live.sock")
        let pipe = try LivePipe(
            options.program, options: ["--control", path], frames: frames, count: Self.seconds * LivePipe.rate)
        let sockets = try (0..<observers).map { _ in try LiveSocket(path) }
        for socket in sockets { socket.say(#"{"command":"observe"}"#) }
        let requests = try LiveSocket(path)
        // One effect during the whole run: it is extended again and again, and all clients receive the events.
        while pipe.waits(for: (Self.seconds - 1) * LivePipe.rate, milliseconds: 300) {
            requests.say(#"{"command":"perform","reactionType":"confetti"}"#)
            requests.drain()
            for socket in sockets.dropFirst(stuck) { socket.drain() }
        }
        try pipe.finish()
        return Array(pipe.latencies.dropFirst(LivePipe.rate))
    }

    // MARK: Answers

    private func answersTable(_ frames: [Data]) throws -> Table {
        var table = Table(
            name: "liveAnswers",
            title:
                "From a request to the first frame drawn, in ms, until it has left the pipe; the frame's own wait of up to "
                + "\(Int(1000 / Double(LivePipe.rate))) ms included",
            columns: ["requests", "number", "p50", "most", "limit"])
        let (first, later) = try answers(frames)
        for (name, times) in [("the first of each kind", first), ("all later ones", later)] {
            let maximum = times.max() ?? .nan
            table.rows.append([
                .text(name), .number(Double(times.count), places: 0), .number(percentile(times, 0.5), places: 1),
                .number(maximum, places: 1), .limit(Self.answerLimit, places: 1, met: maximum <= Self.answerLimit),
            ])
        }
        return table
    }

    /// Returns the milliseconds for the first request of each type, and for those after it.
    private func answers(_ frames: [Data]) throws -> (first: [Double], later: [Double]) {
        let rounds = 7
        let path = media.file("live.sock")
        let count = (Self.types.count * rounds + 6) * LivePipe.rate * 6 / 10
        let pipe = try LivePipe(options.program, options: ["--control", path], frames: frames, count: count)
        let socket = try LiveSocket(path)
        socket.say(#"{"command":"observe"}"#)
        while pipe.waits(for: LivePipe.rate, milliseconds: 1) {}
        var first: [Double] = [], later: [Double] = []
        for round in 0..<rounds {
            for (index, type) in Self.types.enumerated() {
                // Requests come at any moment between two frames.
                usleep(UInt32((round * 7 + index * 3) % 33 * 1000))
                let start = ContinuousClock.now
                socket.say(#"{"command":"perform","reactionType":"\#(type)"}"#)
                let event =
                    try JSONSerialization.jsonObject(
                        with: Data(try socket.line(with: "\"effectStarted\"").utf8)) as? [String: Any]
                guard let frame = event?["frame"] as? Int else { throw BenchError("effectStarted has no frame") }
                let time = (try pipe.arrival(of: frame) - start) / .milliseconds(1)
                if round == 0 { first.append(time) } else { later.append(time) }
                usleep(150_000)
                socket.say(#"{"command":"cancel"}"#)
                _ = try socket.line(with: "\"effects\":[]")
                usleep(50_000)
            }
        }
        socket.say(#"{"command":"quit"}"#)
        try pipe.finish(demandsAll: false)
        return (first, later)
    }

    // MARK: Support

    /// Two seconds of the talking head as raw pictures.
    private func rawFrames() throws -> [Data] {
        let file = media.file("live.yuv")
        _ = try Child.run([
            try Child.locate("ffmpeg"), "-nostdin", "-v", "error", "-y", "-i",
            try media.talkingHead(height: 720, seconds: 2),
            "-map", "0:v", "-pix_fmt", "yuv420p", "-f", "rawvideo", file,
        ])
        let all = try Data(contentsOf: URL(filePath: file))
        media.remove(file)
        return stride(from: 0, to: all.count - LivePipe.frameSize + 1, by: LivePipe.frameSize).map {
            Data(all[$0..<$0 + LivePipe.frameSize])
        }
    }
}
