import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A program between two pipes, fed with a transport stream picture by picture.
final class PipedRun: Sendable {
    private let arrivals = Mutex<[ContinuousClock.Instant]>([])

    /// Seconds from the moment at which a picture was written whole into the pipe until the beginning of
    /// the same picture came out of the other one, for each picture after the first second.
    ///
    /// - Parameter rate: pictures a second.
    func latencies(_ arguments: [String], stream: Data, rate: Double) throws -> [Double] {
        let pictures = Self.pictures(of: stream)
        let (process, input, output) = try Self.start(arguments)
        let reader = Thread { [self] in read(output) }
        reader.start()
        let start = ContinuousClock.now
        var sent: [ContinuousClock.Instant] = []
        for (index, range) in pictures.enumerated() {
            let due = start + .seconds(Double(index) / rate)
            let wait = (due - ContinuousClock.now) / .seconds(1)
            if wait > 0 { Thread.sleep(forTimeInterval: wait) }
            try input.write(contentsOf: stream[range])
            sent.append(.now)
        }
        try input.close()
        process.waitUntilExit()
        while !reader.isFinished { Thread.sleep(forTimeInterval: 0.01) }
        let arrived = arrivals.withLock { $0 }
        guard process.terminationStatus == 0, arrived.count == sent.count else {
            throw BenchError("\(arguments[0]) gave \(arrived.count) of \(sent.count) pictures back")
        }
        return zip(sent, arrived).dropFirst(Int(rate)).map { ($1 - $0) / .seconds(1) }
    }

    /// Seconds from the start of the program to the first picture that comes out, the input being there at once.
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
        // A program that ends early is told by its exit code.
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
            let count = parser.add(Array(data)).count
            let now = ContinuousClock.now
            arrivals.withLock { $0 += Array(repeating: now, count: count) }
        }
    }

    /// Where each picture lies, with what belongs to it.
    private static func pictures(of stream: Data) -> [Range<Int>] {
        var parser = TransportStream()
        let starts = parser.add(Array(stream)).map { $0 * TransportStream.packetSize }
        return starts.indices.map { index in
            let begin = index == 0 ? 0 : starts[index]
            return begin..<(index + 1 < starts.count ? starts[index + 1] : stream.count)
        }
    }
}
