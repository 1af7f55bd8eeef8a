extension TemporaryFile {
    /// Removes what killed processes have left of files of a name.
    ///
    /// A process of another machine that shares the folder counts as gone if no process here has its number: two
    /// machines must not write one file at a time anyway.
    ///
    /// - Returns: the paths of what was removed, sorted.
    package static func removeLeftovers(of path: String) -> [String] {
        let target = target(of: path)
        let folder = folder(of: target)
        let start = "." + target.dropFirst(folder.count) + partialMark
        guard let listing = unsafe opendir(folder.isEmpty ? "." : String(folder)) else { return [] }
        defer { unsafe closedir(listing) }
        var removed: [String] = []
        while let entry = unsafe readdir(listing) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            guard name.hasPrefix(start), let process = pid_t(name.dropFirst(start.count)), isGone(process) else {
                continue
            }
            let leftover = String(folder) + name
            if unsafe unlink(leftover) == 0 { removed.append(leftover) }
        }
        return removed.sorted()
    }

    private static func isGone(_ process: pid_t) -> Bool {
        process > 0 && kill(process, 0) != 0 && errno == ESRCH
    }
}
