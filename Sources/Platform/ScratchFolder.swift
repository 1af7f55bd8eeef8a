/// Folders for what is needed only while a process works, such as pipes.
package enum ScratchFolder {
    /// Makes one into which nobody else can look, and removes those of its kind that killed processes have left.
    ///
    /// - Returns: its path; `nil` where none can be made, and `errno` tells why.
    package static func make(_ kind: String, in place: String) -> String? {
        removeLeftovers(kind, in: place)
        var template = Array("\(place)/\(kind)-\(getpid())-XXXXXX".utf8CString)
        return unsafe template.withUnsafeMutableBufferPointer { unsafe mkdtemp($0.baseAddress!) }
            .map { unsafe String(cString: $0) }
    }

    /// Removes one with the files that lie in it, if it is this user's. Links are followed nowhere: whoever else may write
    /// where it lies gains nothing by them.
    @discardableResult
    package static func remove(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        var info = stat()
        guard unsafe fstat(descriptor, &info) == 0, info.st_uid == geteuid(),
            let listing = unsafe fdopendir(descriptor)
        else {
            close(descriptor)
            return false
        }
        defer { unsafe closedir(listing) }
        for name in unsafe DirectoryNames.all(in: listing) where name != "." && name != ".." {
            _ = unsafe unlinkat(descriptor, name, 0)
        }
        return unsafe rmdir(path) == 0
    }

    /// - Returns: the paths of what was removed, sorted.
    @discardableResult
    static func removeLeftovers(_ kind: String, in place: String) -> [String] {
        guard let listing = unsafe opendir(place) else { return [] }
        defer { unsafe closedir(listing) }
        return unsafe DirectoryNames.all(in: listing).filter { name in
            guard name.hasPrefix(kind + "-") else { return false }
            let rest = name.dropFirst(kind.utf8.count + 1).split(separator: "-", omittingEmptySubsequences: false)
            guard rest.count == 2, let process = pid_t(rest[0]) else { return false }
            return TemporaryFile.isGone(process)
        }.map { "\(place)/\($0)" }.filter { remove($0) }.sorted()
    }
}

/// What lies in a folder that is open.
enum DirectoryNames {
    /// Reads the names that are still to come, hidden ones and the folder itself included.
    ///
    /// `readdir(3)`
    static func all(in listing: OpaquePointer) -> [String] {
        var names: [String] = []
        while let entry = unsafe readdir(listing) {
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                    unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                })
        }
        return names
    }
}
