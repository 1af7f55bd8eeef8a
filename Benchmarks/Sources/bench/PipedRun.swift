import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A program between two pipes, fed with a transport stream picture by picture.
final class PipedRun: Sendable {
    private typealias Arrival = (time: Int, moment: ContinuousClock.Instant)
    private let arrivals = Mutex<[Arrival]>([])

    /// Returns the latency of each picture after the first ten seconds: from the moment at which it was completely
    /// written into the pipe until its beginning was read from the other one. FFmpeg probes five seconds before it
    /// starts, and catches up after that.
    ///
    /// - Parameter rate: pictures a second.
    func latencies(_ arguments: [String], stream: Data, rate: Double) throws -> [Double] {
        let pictures = Self.pictures(of: stream)
        let (process, input, output) = try Self.start(arguments)
        let reader = Thread { [self] in read(output) }
        reader.start()
        let start = ContinuousClock.now
        var sent: [Int: ContinuousClock.Instant] = [:]
        for (index, picture) in pictures.enumerated() {
            let due = start + .seconds(Double(index) / rate)
            let wait = (due - ContinuousClock.now) / .seconds(1)
            if wait > 0 { Thread.sleep(forTimeInterval: wait) }
            try input.write(contentsOf: stream[picture.range])
            sent[picture.time] = .now
        }
        try input.close()
        process.waitUntilExit()
        while !reader.isFinished { Thread.sleep(forTimeInterval: 0.01) }
        let arrived = arrivals.withLock { $0 }
        guard process.terminationStatus == 0, let first = arrived.first else {
            throw BenchError("\(arguments[0]) failed")
        }
        // Times may be shifted as a whole, and are never changed otherwise.
        return arrived.compactMap { arrival in
            sent[arrival.time - first.time].map { (arrival.moment - $0) / .seconds(1) }
        }.dropFirst(Int(10 * rate)).map { $0 }
    }

    /// Returns the seconds from the start of the program to its first picture, with the input immediately available.
    static func startup(_ arguments: [String], stream: String) throws -> Double {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: arguments[0])
        process.arguments = Array(arguments.dropFirst())
        process.standardInput = try FileHandle(forReadingFrom: URL(filePath: stream))
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let start = ContinuousClock.now
        try process.run()
        var parser = TransportStream()
        while true {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { throw BenchError("\(arguments[0]) gave no picture") }
            if !parser.add(Array(data)).isEmpty { break }
        }
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        process.terminate()
        try? output.fileHandleForReading.close()
        process.waitUntilExit()
        return elapsed
    }

    private static func start(_ arguments: [String]) throws -> (Process, FileHandle, FileHandle) {
        // A program that ends early is detected by its exit code.
        signal(SIGPIPE, SIG_IGN)
        let process = Process()
        let input = Pipe(), output = Pipe()
        process.executableURL = URL(filePath: arguments[0])
        process.arguments = Array(arguments.dropFirst())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        try input.fileHandleForReading.close()
        return (process, input.fileHandleForWriting, output.fileHandleForReading)
    }

    private func read(_ output: FileHandle) {
        var parser = TransportStream()
        while true {
            let data = output.availableData
            if data.isEmpty { return }
            let starts = parser.add(Array(data))
            let now = ContinuousClock.now
            arrivals.withLock { $0 += starts.map { ($0.time, now) } }
        }
    }

    /// Returns the byte range of each picture, with its other packets, and its time since the first one.
    private static func pictures(of stream: Data) -> [(range: Range<Int>, time: Int)] {
        var parser = TransportStream()
        let starts = parser.add(Array(stream))
        return starts.indices.map { index in
            let begin = index == 0 ? 0 : starts[index].packet * TransportStream.packetSize
            let isLast = index + 1 == starts.count
            let end = isLast ? stream.count : starts[index + 1].packet * TransportStream.packetSize
            return (begin..<end, starts[index].time - starts[0].time)
        }
    }
}
