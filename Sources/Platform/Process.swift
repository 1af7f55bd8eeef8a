import FoundationEssentials
import Synchronization

/// What this process may use of the machine: its share where a control group limits it, and all of it elsewhere.
package enum Machine {
    private static let limits = ControlGroup()
    private static let present = ProcessInfo.processInfo.activeProcessorCount

    /// How many threads can run at once; at least one. Part of a core's time is worth a thread of its own.
    package static let cores = max(1, min(present, Int(min(limits.cores ?? .infinity, 1e6).rounded(.up))))

    /// Whether this process may take less than all cores' time.
    package static var isShared: Bool { cores < present }

    /// Bytes of memory.
    package static let memory = min(Int(clamping: ProcessInfo.processInfo.physicalMemory), limits.memory ?? .max)
}

/// What a container or a service manager lets this process use: the limits of Linux's control groups, of both versions
/// ([cgroups(7)](https://man7.org/linux/man-pages/man7/cgroups.7.html)).
package struct ControlGroup: Sendable, Hashable {
    /// As many cores' processor time; `nil` without a limit.
    package private(set) var cores: Double?
    /// Bytes; `nil` without a limit.
    package private(set) var memory: Int?

    /// The limits of the groups that a process is in, and of those around them: the tightest count.
    ///
    /// - Parameters:
    ///   - membership: which groups those are, a line for each hierarchy.
    ///   - root: the folder of all hierarchies.
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

    /// The folders of a group and of all around it. A container may not see its own group's, but then that of the hierarchy
    /// is its own.
    private static func groups(_ path: String, in hierarchy: String) -> [String] {
        path.split(separator: "/").reduce(into: [hierarchy]) { $0.append($0[$0.count - 1] + "/" + $1) }
    }

    private mutating func limitCores(quota: some StringProtocol, period: some StringProtocol) {
        guard let quota = Double(quota), let period = Double(period), quota > 0, period > 0 else { return }
        cores = min(cores ?? .infinity, quota / period)
    }

    private mutating func limitMemory(_ bytes: String) {
        // "max", or in version 1 more than any machine has, is no limit.
        guard let bytes = Int(bytes), bytes > 0 else { return }
        memory = min(memory ?? .max, bytes)
    }

    /// A small file's text without the last newline; nothing where there is none.
    private static func text(_ path: String) -> String {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return "" }
        return text.last == "\n" ? String(text.dropLast()) : text
    }
}

/// Whether memory was refused in this process since a moment.
///
/// FFmpeg goes on without what it is refused here and there, and does not tell: what comes of it lacks something. Only a
/// program that counts knows; in all others nothing was ever refused.
package struct RefusedMemory: Sendable {
    private static let counter = Mutex<(@Sendable () -> Int64)?>(nil)

    private let before: Int64

    /// From now on.
    package init() { before = Self.count }

    /// Sets what counts the refusals.
    package static func count(by counter: @escaping @Sendable () -> Int64) { Self.counter.withLock { $0 = counter } }

    private static var count: Int64 { counter.withLock { $0 }?() ?? 0 }

    package var isSome: Bool { Self.count != before }
}

/// The running program, and how the platform names what it loads.
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

    /// What the names of shared libraries end in.
    #if canImport(Darwin)
    package static let libraryEnding = "dylib"
    #else
    package static let libraryEnding = "so"
    #endif
}

/// A program that this one started. It reads nothing, and nobody reads what it writes.
package struct ChildProcess: Sendable {
    private let process: pid_t

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: the program's file.
    ///   - words: its command line, from its own name on.
    ///   - environment: its variables, as `NAME=value`.
    /// - Returns: `nil` where the system refuses.
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

    /// Waits until it ends. Once only: its number is another's afterwards.
    ///
    /// - Returns: its exit code; `nil` where a signal ended it.
    @discardableResult
    package func wait() -> Int32? {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        return status & 0x7f == 0 ? status >> 8 & 0xff : nil
    }
}

/// The machine's clock for measuring how long things take. No result depends on it but those that
/// are about time: latency, load and time-outs.
package enum MonotonicClock {
    /// Nanoseconds since some moment in the past.
    ///
    /// `clock_gettime`
    package static var now: UInt64 {
        var time = timespec()
        // Where the system refuses it once, a time of 0 would lie before all others.
        for _ in 0..<3 where unsafe clock_gettime(CLOCK_MONOTONIC, &time) == 0 { break }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// The processor time of the calling thread: what work costs, whoever else is busy.
package enum ThreadClock {
    /// Milliseconds of processor time that the work takes on this thread.
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

/// When work in this process last got on: a frame or a packet went from one stage to the next, bytes went into a file.
///
/// Who was asked to end and waits for what was begun can tell by it whether there is anything to wait for: a call into a
/// library that was given hostile data may never come back.
package enum LifeSign {
    private static let last = Atomic<UInt64>(0)
    private static let lately = Atomic<UInt64>(0)

    /// Work got on, now.
    package static func note() { last.store(MonotonicClock.now, ordering: .relaxed) }

    /// One step of honest work took so long, in nanoseconds. A long one is forgotten over the next few: one alone is a
    /// start, or another program's doing.
    package static func note(step: UInt64) {
        let former = lately.load(ordering: .relaxed)
        lately.store(max(step, former - former / 4), ordering: .relaxed)
        note()
    }

    /// How long nothing has got on, in nanoseconds, counted from a moment at the earliest.
    package static func silence(since moment: UInt64) -> UInt64 {
        let now = MonotonicClock.now
        return now - min(now, max(moment, last.load(ordering: .relaxed)))
    }

    /// How long a silence may be that comes from slow work alone, in nanoseconds: 1.8 s, and where an encoder lately took
    /// longer for a picture twice its time, up to 10 s.
    package static var patience: UInt64 {
        min(max(1_800_000_000, 2 * lately.load(ordering: .relaxed)), 10_000_000_000)
    }
}
