import FoundationEssentials
import Synchronization

/// The resources of the machine that this process may use, within the limits of its control group.
package enum Machine {
    private static let limits = ControlGroup()
    private static let present = ProcessInfo.processInfo.activeProcessorCount

    /// The number of threads that can run at once, at least one. A fraction of a core's time counts as one thread.
    package static let cores = max(1, min(present, Int(min(limits.cores ?? .infinity, 1e6).rounded(.up))))

    /// A Boolean value that indicates whether this process may use less than the time of all cores.
    package static var isShared: Bool { cores < present }

    /// The memory in bytes.
    package static let memory = min(Int(clamping: ProcessInfo.processInfo.physicalMemory), limits.memory ?? .max)
}

/// The limits that a container or a service manager sets for this process: those of Linux's control groups, of both
/// versions ([cgroups(7)](https://man7.org/linux/man-pages/man7/cgroups.7.html)).
package struct ControlGroup: Sendable, Hashable {
    /// The processor time, as a number of cores; `nil` without a limit.
    package private(set) var cores: Double?
    /// The memory in bytes; `nil` without a limit.
    package private(set) var memory: Int?

    /// Reads the limits of the groups of a process and of their parents, of which the tightest apply.
    ///
    /// - Parameters:
    ///   - membership: The file with the groups, one line for each hierarchy.
    ///   - root: The folder of all hierarchies.
    package init(membership: String = "/proc/self/cgroup", root: String = "/sys/fs/cgroup") {
        for line in Self.text(membership).split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let controllers = fields[1].split(separator: ",")
            let path = String(fields[2])
            if controllers.isEmpty {
                // Version 2; beside version 1 it has a folder of its own.
                for group in Self.groups(path, in: root) + Self.groups(path, in: root + "/unified") {
                    let values = Self.text(group + "/cpu.max").split(whereSeparator: \.isWhitespace)
                    if values.count == 2 { limitCores(quota: values[0], period: values[1]) }
                    limitMemory(Self.text(group + "/memory.max"))
                }
            }
            if controllers.contains("cpu") {
                for group in Self.groups(path, in: root + "/cpu") {
                    limitCores(
                        quota: Self.text(group + "/cpu.cfs_quota_us"), period: Self.text(group + "/cpu.cfs_period_us"))
                }
            }
            if controllers.contains("memory") {
                for group in Self.groups(path, in: root + "/memory") {
                    limitMemory(Self.text(group + "/memory.limit_in_bytes"))
                }
            }
        }
    }

    /// Returns the folders of a group and of its parents. A container may not see its own group's folder; the
    /// hierarchy's folder is its own then.
    private static func groups(_ path: String, in hierarchy: String) -> [String] {
        path.split(separator: "/").reduce(into: [hierarchy]) { $0.append($0[$0.count - 1] + "/" + $1) }
    }

    private mutating func limitCores(quota: some StringProtocol, period: some StringProtocol) {
        guard let quota = Double(quota), let period = Double(period), quota > 0, period > 0 else { return }
        cores = min(cores ?? .infinity, quota / period)
    }

    private mutating func limitMemory(_ bytes: String) {
        // "max", or in version 1 a number beyond any machine's memory, is no limit.
        guard let bytes = Int(bytes), bytes > 0 else { return }
        memory = min(memory ?? .max, bytes)
    }

    /// Returns a small file's text without the last newline; an empty text if there is no file.
    private static func text(_ path: String) -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return "" }
        return text.last == "\n" ? String(text.dropLast()) : text
    }
}

/// Detects memory that was refused in this process since a moment.
///
/// FFmpeg continues silently after some failed allocations, and its output is then incomplete. Only programs that
/// install a counter detect this; in others the count is always 0.
package struct RefusedMemory: Sendable {
    private static let counter = Mutex<(@Sendable () -> Int64)?>(nil)

    private let before: Int64

    /// Starts now.
    package init() { before = Self.count }

    /// Installs the counter of refused allocations.
    package static func count(by counter: @escaping @Sendable () -> Int64) { Self.counter.withLock { $0 = counter } }

    private static var count: Int64 { counter.withLock { $0 }?() ?? 0 }

    package var isSome: Bool { Self.count != before }
}

/// The running program, and the platform's names for libraries.
package enum Program {
    /// The running program's path, with symbolic links resolved.
    package static func executablePath() -> String? {
        #if os(Linux)
        let path = "/proc/self/exe"
        #else
        let path = CommandLine.arguments[0]
        #endif
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// The file name extension of shared libraries.
    #if canImport(Darwin)
    package static let libraryEnding = "dylib"
    #else
    package static let libraryEnding = "so"
    #endif
}

/// A program that this process has started, without input and output.
package struct ChildProcess: Sendable {
    private let process: pid_t

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The program's file.
    ///   - words: Its command line, including its own name.
    ///   - environment: Its variables, as `NAME=value`.
    /// - Returns: `nil` if the system refuses.
    package init?(_ path: String, _ words: [String], environment: [String] = []) {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = unsafe posix_spawn_file_actions_t()
        #endif
        guard unsafe posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for descriptor in STDIN_FILENO...STDERR_FILENO {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        let variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        guard unsafe posix_spawn(&process, path, &actions, nil, arguments, variables) == 0 else { return nil }
        self.process = process
    }

    /// Waits until the program ends. It may be called once: the process id may be reused afterwards.
    ///
    /// - Returns: The exit code; `nil` if a signal ended the program.
    @discardableResult
    package func wait() -> Int32? {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        return status & 0x7f == 0 ? status >> 8 & 0xff : nil
    }
}

/// The machine's clock for measuring durations. Only results about time depend on it: latency, load and time-outs.
package enum MonotonicClock {
    /// Nanoseconds since an arbitrary moment in the past.
    ///
    /// `clock_gettime`
    package static var now: UInt64 {
        var time = timespec()
        // If the system fails once, a time of 0 would lie before all others.
        for _ in 0..<3 where unsafe clock_gettime(CLOCK_MONOTONIC, &time) == 0 { break }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// The processor time of the calling thread, which measures work independently of other load.
package enum ThreadClock {
    /// Returns the processor time of a closure on this thread, in milliseconds.
    package static func milliseconds(_ work: () throws -> Void) rethrows -> Double {
        let start = now()
        try work()
        return (now() - start) * 1000
    }

    private static func now() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

/// The time of the last progress in this process: a frame or a packet between stages, or bytes into a file.
///
/// A shutdown that waits for unfinished work uses it to decide whether to wait any longer: a library call with hostile
/// data may never return.
package enum ProgressHeartbeat {
    private static let last = Atomic<UInt64>(0)
    private static let lately = Atomic<UInt64>(0)

    /// Records progress.
    package static func note() { last.store(MonotonicClock.now, ordering: .relaxed) }

    /// Records the duration of one step in nanoseconds. A long one decays over the following steps, since a single one
    /// may be a start, or be caused by another program.
    package static func note(step: UInt64) {
        let former = lately.load(ordering: .relaxed)
        lately.store(max(step, former - former / 4), ordering: .relaxed)
        note()
    }

    /// Returns the time without progress in nanoseconds, counted from a moment at the earliest.
    package static func silence(since moment: UInt64) -> UInt64 {
        let now = MonotonicClock.now
        return now - min(now, max(moment, last.load(ordering: .relaxed)))
    }

    /// The longest time without progress that slow work can explain, in nanoseconds: 1.8 s, or twice the time of an
    /// encoder's recent step, up to 10 s.
    package static var patience: UInt64 {
        min(max(1_800_000_000, 2 * lately.load(ordering: .relaxed)), 10_000_000_000)
    }
}
