import FoundationEssentials
import Synchronization

/// The resources of the machine that this process may use, within the limits of its control group.
package enum Machine {
    private static let limits = ControlGroup()
    private static let present = ProcessInfo.processInfo.activeProcessorCount

    /// The number of threads that can run at once, at least one. `FLOURISH_CORES` in the environment lowers it: a
    /// cluster's scheduler that reserves cores for a job does not always set a limit that the kernel enforces.
    package static let cores = cores(
        of: present, limit: limits.cores, named: ProcessInfo.processInfo.environment["FLOURISH_CORES"])

    /// Returns the number of present cores, limited by the control group (`limit`) and by the environment (`named`). A
    /// fraction of a core counts as a whole core. A `named` text that is no positive number sets no limit.
    package static func cores(of present: Int, limit: Double?, named: String?) -> Int {
        let named = named.flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil } ?? .max
        return max(1, min(present, named, Int(min(limit ?? .infinity, 1e6).rounded(.up))))
    }

    /// True if this process may use only a part of the time of all cores.
    package static var isShared: Bool { cores < present }

    /// The memory that this process may use, in bytes.
    package static let memory = min(Int(clamping: ProcessInfo.processInfo.physicalMemory), limits.memory ?? .max)
}

/// The limits that a container or a service manager sets for this process through Linux's control groups, in both
/// versions ([cgroups(7)](https://man7.org/linux/man-pages/man7/cgroups.7.html)).
package struct ControlGroup: Sendable, Hashable {
    /// The processor time, as a number of cores; `nil` without a limit.
    package private(set) var cores: Double?
    /// The memory in bytes; `nil` without a limit.
    package private(set) var memory: Int?

    /// Reads the limits of a process's groups and of their parents. The tightest limits apply.
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
                // Version 2. On a system with both versions it is mounted at `unified`.
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

    /// Returns the folders of a group and of its parents. A container may not see the folder of its group. The root
    /// folder of the hierarchy then has the container's limits.
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

/// Detects whether an allocation failed in this process since the detector was created.
///
/// FFmpeg continues silently after some failed allocations, and its output is then incomplete. Only programs that
/// install a counter detect this; in other programs the count is always 0.
package struct RefusedMemory: Sendable {
    private static let counter = Mutex<(@Sendable () -> Int64)?>(nil)

    private let before: Int64

    /// Creates a detector that starts now.
    package init() { before = Self.count }

    /// Installs the counter of refused allocations.
    package static func count(by counter: @escaping @Sendable () -> Int64) { Self.counter.withLock { $0 = counter } }

    private static var count: Int64 { counter.withLock { $0 }?() ?? 0 }

    /// True if an allocation failed since the detector was created.
    package var isSome: Bool { Self.count != before }
}
