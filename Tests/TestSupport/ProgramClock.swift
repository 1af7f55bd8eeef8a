import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The time that a program and its children take, without the time that they wait for a core: limits on it hold on a machine
/// that has other things to do.
///
/// While they compute it counts what they compute, at most the time by the clock; while they wait for something else, such as
/// input, it counts the time by the clock. Where the system does not tell, that is all there is.
package struct ProgramClock: Sendable {
    /// The time since the clock was started, up to the last call of ``advance()``.
    package private(set) var elapsed = Duration.zero

    private let process: Int32
    private var last = ContinuousClock.now
    private var lastWork: Duration?

    /// The share of the time that a program computes at least while it does not wait.
    private static let leastShare = 0.02

    /// Starts a clock.
    package init(process: Int32) {
        self.process = process
        lastWork = Self.work(of: process)
    }

    /// Adds what was taken since the last call, which lies some tenths of a second back.
    package mutating func advance() {
        let (now, work) = (ContinuousClock.now, Self.work(of: process))
        let time = now - last
        if let work, let before = lastWork, work - before > time * Self.leastShare {
            elapsed += min(time, work - before)
        } else {
            elapsed += time
        }
        (last, lastWork) = (now, work)
    }

    /// Returns the time that a process, its descendants and those of them that have ended have computed; nil if it is not known.
    private static func work(of process: Int32) -> Duration? {
        #if os(Linux)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let all = names.compactMap { Int32($0) }.compactMap(ProcessState.init)
        var (family, isGrowing) = (Set([process]), true)
        while isGrowing {
            let grown = family.union(all.filter { family.contains($0.parent) }.map(\.number))
            isGrowing = grown.count > family.count
            family = grown
        }
        let members = all.filter { family.contains($0.number) }
        guard !members.isEmpty else { return nil }
        let ticks = members.reduce(0) { $0 + $1.ticks }
        return .seconds(Double(ticks) / Double(max(sysconf(Int32(_SC_CLK_TCK)), 1)))
        #else
        return nil
        #endif
    }
}

/// What `/proc/NUMBER/stat` states of a process.
private struct ProcessState {
    let number: Int32
    let parent: Int32
    /// The ticks that it and its ended children have computed.
    let ticks: Int

    /// Nil where the process has ended.
    init?(_ number: Int32) {
        guard let text = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8),
            // The name before it may hold anything.
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[end...].split(separator: " ").dropFirst().map(String.init)
        guard fields.count > 14, let parent = Int32(fields[1]) else { return nil }
        self.number = number
        self.parent = parent
        ticks = fields[11...14].reduce(0) { $0 + (Int($1) ?? 0) }
    }
}
