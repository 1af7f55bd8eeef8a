import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The time that a program and its children use, without the time that they wait for a core: limits on it hold on a
/// busy machine.
///
/// While they compute it counts their processor time, at most the wall-clock time; while they wait for something
/// else, such as input, it counts the wall-clock time. Systems without this information count the wall-clock time
/// alone.
package struct ProgramClock: Sendable {
    /// The time since the clock was started, up to the last call of ``advance()``.
    package private(set) var elapsed = Duration.zero

    private let process: Int32
    private var last = ContinuousClock.now
    private var lastWork: Duration?

    /// The minimum share of the time that a program computes while it does not wait.
    private static let minimumShare = 0.02

    /// Starts a clock.
    package init(process: Int32) {
        self.process = process
        lastWork = Self.work(of: process)
    }

    /// Adds the time since the last call, some tenths of a second ago.
    package mutating func advance() {
        let (now, work) = (ContinuousClock.now, Self.work(of: process))
        let time = now - last
        if let work, let before = lastWork, work - before > time * Self.minimumShare {
            elapsed += min(time, work - before)
        } else {
            elapsed += time
        }
        (last, lastWork) = (now, work)
    }

    /// Returns the processor time of a process, its descendants and those of them that have ended; nil if it is
    /// unknown.
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

/// The fields of `/proc/NUMBER/stat` of a process.
private struct ProcessState {
    let number: Int32
    let parent: Int32
    /// The ticks of processor time of it and its ended children.
    let ticks: Int

    /// Nil if the process has ended.
    init?(_ number: Int32) {
        guard let text = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8),
            // The name before it may contain any character.
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[end...].split(separator: " ").dropFirst().map(String.init)
        guard fields.count > 14, let parent = Int32(fields[1]) else { return nil }
        self.number = number
        self.parent = parent
        ticks = fields[11...14].reduce(0) { $0 + (Int($1) ?? 0) }
    }
}
