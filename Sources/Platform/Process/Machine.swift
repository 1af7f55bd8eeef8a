import FoundationEssentials

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
