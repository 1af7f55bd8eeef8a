/// Creates and removes folders that are needed only while a process runs, for example for named pipes.
package enum ScratchFolder {
    /// Creates a folder that only this user can access, and removes folders of the same kind that killed processes have
    /// left.
    ///
    /// - Parameter levels: The number of levels of folders that a folder of this kind may contain.
    /// - Returns: The folder's path; `nil` if none can be created, with the reason in `errno`.
    package static func make(_ kind: String, in place: String, levels: Int = 0) -> String? {
        removeLeftovers(kind, in: place, levels: levels)
        var template = Array("\(place)/\(kind)-\(getpid())-XXXXXX".utf8CString)
        return unsafe template.withUnsafeMutableBufferPointer { unsafe mkdtemp($0.baseAddress!) }
            .map { unsafe String(cString: $0) }
    }

    /// Removes a folder with its files, if it belongs to this user. Symbolic links are not followed. Otherwise another
    /// user with write access to the parent folder could have files removed elsewhere.
    ///
    /// - Parameter levels: The number of levels of folders in it that are removed as well.
    /// - Returns: Whether the folder is gone; `false` if something in it remains.
    @discardableResult
    package static func remove(_ path: String, levels: Int = 0) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard empty(descriptor, levels: levels) else { return false }
        return unsafe rmdir(path) == 0
    }

    /// Removes the files in an open folder, and closes it.
    /// - Returns: Whether it could be read and belongs to this user.
    private static func empty(_ descriptor: Int32, levels: Int) -> Bool {
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
            if unsafe unlinkat(descriptor, name, 0) == 0 || levels == 0 { continue }
            let inner = unsafe openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if empty(inner, levels: levels - 1) { _ = unsafe unlinkat(descriptor, name, AT_REMOVEDIR) }
        }
        return true
    }

    /// Removes the folders of a kind that ended processes have left.
    /// - Returns: The paths of the removed folders, sorted.
    @discardableResult
    static func removeLeftovers(_ kind: String, in place: String, levels: Int = 0) -> [String] {
        guard let listing = unsafe opendir(place) else { return [] }
        defer { unsafe closedir(listing) }
        return unsafe DirectoryNames.all(in: listing).filter { name in
            guard name.hasPrefix(kind + "-") else { return false }
            let rest = name.dropFirst(kind.utf8.count + 1).split(separator: "-", omittingEmptySubsequences: false)
            guard rest.count == 2, let process = pid_t(rest[0]) else { return false }
            return TemporaryFile.isGone(process)
        }.map { "\(place)/\($0)" }.filter { remove($0, levels: levels) }.sorted()
    }
}
