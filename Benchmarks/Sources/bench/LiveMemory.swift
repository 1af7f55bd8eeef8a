import Foundation

/// The memory of a running program.
enum LiveMemory {
    /// Waits for the program's end.
    ///
    /// - Parameter events: the program's events with statistics, which show its progress.
    /// - Returns: the growth of the resident set since the first minute of video, in bytes.
    static func watch(_ process: Process, events: String) -> Double {
        var first: Double?
        var largest = 0.0
        while process.isRunning {
            Thread.sleep(forTimeInterval: 0.5)
            guard let now = resident(process.processIdentifier) else { continue }
            if first == nil, minuteIsOver(events) { first = now }
            if first != nil { largest = max(largest, now) }
        }
        process.waitUntilExit()
        return largest - (first ?? largest)
    }

    /// Twelve statistics of five seconds each.
    private static func minuteIsOver(_ events: String) -> Bool {
        let text = (try? String(contentsOfFile: events, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").count { $0.contains("\"statistics\"") } >= 12
    }

    /// Bytes, from `/proc`.
    static func resident(_ id: Int32) -> Double? {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let kilobytes = line.split(separator: " ").compactMap({ Double($0.trimmingCharacters(in: .whitespaces)) })
                .first
        else { return nil }
        return kilobytes * 1024
    }
}
