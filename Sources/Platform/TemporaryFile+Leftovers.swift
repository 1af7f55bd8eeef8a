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
        return removeLeftovers(in: folder) { name in
            name.hasPrefix(start) ? pid_t(name.dropFirst(start.count)) : nil
        }
    }

    /// Removes what killed processes have left in a folder.
    ///
    /// - Parameter process: whose a file of a name is; `nil` for one that stays.
    /// - Returns: the paths of what was removed, sorted.
    package static func removeLeftovers(in folder: Substring, of process: (String) -> pid_t?) -> [String] {
        guard let listing = unsafe opendir(folder.isEmpty ? "." : String(folder)) else { return [] }
        defer { unsafe closedir(listing) }
        return unsafe DirectoryNames.all(in: listing)
            .filter { process($0).map(isGone) ?? false }.map { String(folder) + $0 }
            .filter { unsafe unlink($0) == 0 }.sorted()
    }

    static func isGone(_ process: pid_t) -> Bool {
        process > 0 && kill(process, 0) != 0 && errno == ESRCH
    }
}
