import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A `flourish filter - -` that gets raw frames in real time and writes raw frames; the times of both are recorded by
/// the frames' order: on a machine that is too slow, and drops frames, the measurement is impossible.
final class LivePipe: Sendable {
    static let width = 1280, height = 720, rate = 30
    static let frameSize = width * height * 3 / 2

    private struct State {
        var sent: [ContinuousClock.Instant] = []
        var received: [ContinuousClock.Instant] = []
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let pid: pid_t
    private let input: Int32
    private let output: Int32
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - frames: raw pictures, sent in a loop.
    ///   - count: the number of pictures to send.
    init(_ program: String, options: [String], frames: [Data], count: Int) throws {
        // A program that ends early is detected by missing output.
        signal(SIGPIPE, SIG_IGN)
        let arguments =
            [
                program, "filter", "-", "-", "--live", "--quiet", "--input-format", "rawvideo", "--video-size",
                "\(Self.width)x\(Self.height)", "--framerate", "\(Self.rate)", "--output-format", "rawvideo",
            ] + options
        (pid, input, output) = try Self.spawn(arguments)
        Thread { [self] in feed(frames, count: count) }.start()
        Thread { [self] in collect() }.start()
    }

    /// Waits until everything has been written.
    ///
    /// - Parameter demandsAll: indicates whether every frame must have been written.
    func finish(demandsAll: Bool = true) throws {
        ended.wait()
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw BenchError("flourish ended with status \(status)") }
        let (sent, received) = state.withLock { ($0.sent.count, $0.received.count) }
        guard sent == received || !demandsAll else {
            throw BenchError("\(sent - received) of \(sent) frames were left out: the machine is too slow or too busy")
        }
    }

    /// Waits for a number of frames, or the program's end.
    ///
    /// - Returns: a Boolean value that indicates whether more frames may follow.
    func waits(for frames: Int, milliseconds: Int) -> Bool {
        usleep(UInt32(milliseconds * 1000))
        return state.withLock { $0.received.count < frames && !$0.hasEnded }
    }

    /// Returns the time at which a frame was written; waits for it for a while.
    func arrival(of frame: Int) throws -> ContinuousClock.Instant {
        for _ in 0..<2000 {
            if let time = state.withLock({ frame < $0.received.count ? $0.received[frame] : nil }) { return time }
            usleep(1000)
        }
        throw BenchError("frame \(frame) did not come out")
    }

    /// The latency of each frame, in milliseconds, in the order of the frames.
    var latencies: [Double] {
        state.withLock { state in
            zip(state.sent, state.received).map { ($1 - $0) / .milliseconds(1) }
        }
    }

    private func feed(_ frames: [Data], count: Int) {
        let start = ContinuousClock.now
        for index in 0..<count {
            let due = start + .seconds(Double(index) / Double(Self.rate))
            let wait = due - ContinuousClock.now
            if wait > .zero { usleep(UInt32(wait / .microseconds(1))) }
            state.withLock { $0.sent.append(.now) }
            var rest = frames[index % frames.count][...]
            while !rest.isEmpty {
                let written = unsafe rest.withUnsafeBytes { unsafe write(input, $0.baseAddress, $0.count) }
                guard written > 0 else { break }
                rest = rest.dropFirst(written)
            }
        }
        close(input)
    }

    private func collect() {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var bytes = 0
        while true {
            let count = unsafe read(output, &buffer, buffer.count)
            guard count > 0 else { break }
            let (before, after) = (bytes / Self.frameSize, (bytes + count) / Self.frameSize)
            bytes += count
            let now = ContinuousClock.now
            for _ in before..<after { state.withLock { $0.received.append(now) } }
        }
        close(output)
        state.withLock { $0.hasEnded = true }
        ended.signal()
    }

    /// Starts a program; returns its id, and the caller's ends of its standard input and output.
    private static func spawn(_ arguments: [String]) throws -> (pid_t, Int32, Int32) {
        var into: [Int32] = [0, 0], out: [Int32] = [0, 0]
        guard unsafe pipe(&into) == 0, unsafe pipe(&out) == 0 else { throw BenchError("no pipe can be made") }
        for end in into + out { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A frame is transferred in two pieces instead of twenty.
        for end in [into[1], out[0]] { _ = fcntl(end, 1031 /* F_SETPIPE_SZ */, 1 << 20) }
        defer {
            close(into[0])
            close(out[1])
        }
        let pid = try unsafe Child.spawn(arguments) { actions in
            unsafe posix_spawn_file_actions_adddup2(&actions, into[0], 0)
            unsafe posix_spawn_file_actions_adddup2(&actions, out[1], 1)
        }
        return (pid, into[1], out[0])
    }
}
