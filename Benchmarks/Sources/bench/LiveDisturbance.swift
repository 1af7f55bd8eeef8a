import Foundation
import Synchronization

/// Loads the machine for a few seconds during a live run, and measures the time until the run recovers.
final class LiveDisturbance: Sendable {
    /// The seconds from the start to the disturbance: the run has settled by then.
    private static let beginning = 10.0

    private struct State {
        var end: ContinuousClock.Instant?
        /// The levels of quality, and the times of their events.
        var steps: [(level: String, moment: ContinuousClock.Instant)] = []
        var isOver = false
    }

    private let events: String
    private let programs, seconds: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - events: the file to which the run writes its events.
    ///   - programs: the number of busy programs, and their duration in seconds.
    init(events: String, programs: Int, seconds: Int) {
        (self.events, self.programs, self.seconds) = (events, programs, seconds)
    }

    /// Starts the clock with the run.
    func start() {
        Thread { [self] in disturb() }.start()
        Thread { [self] in watch() }.start()
    }

    /// Ends the measurement, after the run.
    ///
    /// - Returns: the lowest level of the run, and the seconds after the disturbance until quality was full for good;
    ///   0 if it never fell, `nil` if it never recovered.
    func finish() -> (lowest: String, seconds: Double?) {
        // The newest lines are read by then.
        Thread.sleep(forTimeInterval: 0.2)
        return state.withLock { state in
            state.isOver = true
            let lowest = state.steps.map(\.level).max { Self.depth($0) < Self.depth($1) } ?? "full"
            guard let last = state.steps.last, let end = state.end else { return (lowest, state.end == nil ? nil : 0) }
            return (lowest, last.level == "full" ? max(0, (last.moment - end) / .seconds(1)) : nil)
        }
    }

    private static let levels = ["full", "analysis", "mask", "detail", "effectFrameRate", "frameRate"]

    private static func depth(_ level: String) -> Int { levels.firstIndex(of: level) ?? levels.count }

    private func disturb() {
        Thread.sleep(forTimeInterval: Self.beginning)
        let others = (0..<programs).map { _ in
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "while :; do :; done"]
            return process
        }
        for process in others { try? process.run() }
        Thread.sleep(forTimeInterval: Double(seconds))
        for process in others where process.isRunning { process.terminate() }
        for process in others { process.waitUntilExit() }
        state.withLock { $0.end = .now }
    }

    /// Reads the events as they arrive.
    private func watch() {
        var seen = 0
        while !state.withLock({ $0.isOver }) {
            Thread.sleep(forTimeInterval: 0.02)
            guard let data = FileManager.default.contents(atPath: events), data.count > seen else { continue }
            let now = ContinuousClock.now
            let whole = (data.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
            guard whole > seen else { continue }
            for line in data[seen..<whole].split(separator: UInt8(ascii: "\n")) {
                guard let event = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any],
                    event["event"] as? String == "qualityChanged", let level = event["to"] as? String
                else { continue }
                state.withLock { $0.steps.append((level, now)) }
            }
            seen = whole
        }
    }
}
