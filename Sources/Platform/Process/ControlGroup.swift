import FoundationEssentials

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
