import Foundation
import Synchronization

/// Takes the machine for a few seconds while a live run goes on, and sees when the run is itself again.
final class LiveDisturbance: Sendable {
    /// Seconds after the start at which it begins: the run has settled by then.
    private static let beginning = 10.0

    private struct State {
        var end: ContinuousClock.Instant?
        /// What quality became, and when that was told.
        var steps: [(rung: String, moment: ContinuousClock.Instant)] = []
        var isOver = false
    }

    private let events: String
    private let programs, seconds: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - events: where the run writes its events.
    ///   - programs: how many busy programs there are, for so many seconds.
    init(events: String, programs: Int, seconds: Int) {
        (self.events, self.programs, self.seconds) = (events, programs, seconds)
    }

    /// Begins to count with the run's start.
    func start() {
        Thread { [self] in disturb() }.start()
        Thread { [self] in watch() }.start()
    }

    /// Ends the watch, after the run.
    ///
    /// - Returns: the lowest rung that the run fell to, and how many seconds after the disturbance it was at full
    ///   quality for good; 0 where it stayed there all the time, `nil` where it never was again.
    func finish() -> (lowest: String, seconds: Double?) {
        // The newest lines are read by then.
        Thread.sleep(forTimeInterval: 0.2)
        return state.withLock { state in
            state.isOver = true
            let lowest = state.steps.map(\.rung).max { Self.depth($0) < Self.depth($1) } ?? "full"
            guard let last = state.steps.last, let end = state.end else { return (lowest, state.end == nil ? nil : 0) }
            return (lowest, last.rung == "full" ? max(0, (last.moment - end) / .seconds(1)) : nil)
        }
    }

    private static let rungs = ["full", "analysis", "mask", "detail", "effectFrameRate", "frameRate"]

    private static func depth(_ rung: String) -> Int { rungs.firstIndex(of: rung) ?? rungs.count }

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

    /// Reads the events as they come.
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
                    event["event"] as? String == "qualityChanged", let rung = event["to"] as? String
                else { continue }
                state.withLock { $0.steps.append((rung, now)) }
            }
            seen = whole
        }
    }
}
