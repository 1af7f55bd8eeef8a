import Synchronization

/// Files that are written under temporary names in the folder of their final names, and renamed when they are complete.
///
/// If the name is a symbolic link, its target is written. A set of the process's unfinished files allows a process that
/// exits to remove them. Any thread may call these functions.
package enum TemporaryFile {
    private static let unfinished = Mutex<Set<String>>([])
    private static let watcher = Mutex<(@Sendable (_ path: String, _ isUnfinished: Bool) -> Void)?>(nil)

    /// Calls `watcher` for each file that is started from now on, and again when the file is published or removed.
    package static func watch(_ watcher: @escaping @Sendable (_ path: String, _ isUnfinished: Bool) -> Void) {
        Self.watcher.withLock { $0 = watcher }
    }

    /// Reserves a hidden name, in the folder of `path`, that no other process uses. The caller creates the file, which
    /// counts as unfinished until it is published or removed.
    ///
    /// - throws: ``FileError`` of the code `unwritable` if no file can have the final name.
    package static func reserve(for path: String) throws(FileError) -> String {
        if isFolder(path) { throw FileError(.unwritable, path: path, "\(path): is a folder; name a file") }
        // The name of a descriptor that leads to no file, as where /dev/stdout is no link, must not be replaced.
        if isSpecial(path) || DescriptorOutput.descriptor(named: target(of: path)) != nil {
            throw FileError(
                .unwritable, path: path, "\(path): is not a regular file and cannot be replaced; choose another path")
        }
        var info = stat()
        if unsafe stat(path, &info) < 0, errno == ELOOP { throw FileError(writing: path, number: ELOOP) }
        let temporary = hiddenName(beside: target(of: path))
        unfinished.withLock { _ = $0.insert(temporary) }
        watcher.withLock { $0 }?(temporary, true)
        return temporary
    }

    /// Returns whether this process has an unfinished file that will be published as `path`.
    package static func isAwaited(_ path: String) -> Bool {
        var info = stat()
        return unsafe lstat(hiddenName(beside: target(of: path)), &info) == 0
    }

    /// The text between the final name and the process id in a temporary file's name.
    static let partialMark = ".partial-"

    private static func hiddenName(beside target: String) -> String {
        let folder = folder(of: target)
        return folder + fitting("." + target.dropFirst(folder.count), ending: "\(partialMark)\(getpid())")
    }

    /// Returns a name that file systems accept: up to 255 bytes, including the ending.
    static func fitting(_ name: some StringProtocol, ending: String) -> String {
        var name = String(name)
        while name.utf8.count + ending.utf8.count > 255 { name.removeLast() }
        return name + ending
    }

    /// Removes all unfinished files, for a process that is about to exit.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    package static func removeAll() -> Bool {
        unfinished.withLock { paths in
            defer { paths = [] }
            for path in paths { _ = unsafe unlink(path) }
            return !paths.isEmpty
        }
    }

    /// Returns the target of symbolic links, which need not exist.
    package static func target(of path: String) -> String {
        var target = path
        // Linux follows at most 40 links.
        for _ in 0..<40 {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = unsafe readlink(target, &buffer, buffer.count)
            guard count > 0 else { break }
            let link = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            target = link.hasPrefix("/") ? link : folder(of: target) + link
        }
        return target
    }

    /// Returns the part of a path up to and including its last slash.
    package static func folder(of path: String) -> Substring {
        path.lastIndex(of: "/").map { path[...$0] } ?? ""
    }

    /// Checks that a file can be created at a path before long work begins.
    ///
    /// - throws: ``FileError``, mostly of the code `unwritable`.
    package static func checkFolder(of path: String) throws(FileError) {
        let folder = folder(of: target(of: path))
        guard unsafe access(folder.isEmpty ? "." : String(folder), W_OK | X_OK) == 0 else {
            throw FileError(writing: path, number: errno)
        }
    }

    /// Returns whether the final name belongs to a folder, which no file can replace.
    package static func isFolder(_ path: String) -> Bool { FileKind.of(path) == S_IFDIR }

    /// Returns whether the path leads to a special file that is written in place rather than replaced: a named pipe, a
    /// terminal, or `/dev/null`.
    package static func isSpecial(_ path: String) -> Bool {
        FileKind.of(path).map { $0 != S_IFREG && $0 != S_IFDIR } ?? false
    }

    /// Returns whether the path leads to a named pipe.
    package static func isNamedPipe(_ path: String) -> Bool { FileKind.of(path) == S_IFIFO }

    /// Removes an unfinished file.
    package static func remove(_ temporary: String) {
        _ = unsafe unlink(temporary)
        forget(temporary)
    }

    /// Removes a file from the set of unfinished files, without changing the file itself.
    package static func forget(_ temporary: String) {
        unfinished.withLock { _ = $0.remove(temporary) }
        watcher.withLock { $0 }?(temporary, false)
    }

    /// Writes a file, completely or not at all.
    ///
    /// - Parameter overwrite: Whether to replace a file of that name.
    /// - Returns: The stamp of the written file. If another process replaces the file at the same time, the file at
    ///   `path` has another stamp.
    /// - throws: ``FileError`` of the codes `unwritable`, `diskFull`, `io`.
    @discardableResult
    package static func write(_ bytes: [UInt8], to path: String, overwrite: Bool) throws(FileError) -> FileStamp? {
        let temporary = try fill(bytes, for: path)
        let written = FileStamp(of: temporary)
        do throws(FileError) { try publish(temporary, as: path, overwrite: overwrite) } catch {
            remove(temporary)
            throw error
        }
        return written
    }

    /// Writes the content of a file under a temporary name, and returns that name. The caller then publishes or removes
    /// the file.
    ///
    /// - throws: ``FileError`` of the codes `unwritable`, `diskFull`, `io`.
    package static func fill(_ bytes: [UInt8], for path: String) throws(FileError) -> String {
        let temporary = try reserve(for: path)
        guard let file = unsafe fopen(temporary, "wb") else {
            forget(temporary)
            throw FileError(writing: path, number: errno)
        }
        let written = unsafe bytes.withUnsafeBytes { unsafe fwrite($0.baseAddress, 1, $0.count, file) }
        let failure = written < bytes.count ? errno : 0
        guard unsafe fclose(file) == 0, failure == 0 else {
            let status = failure != 0 ? failure : errno
            remove(temporary)
            throw FileError(writing: path, number: status)
        }
        return temporary
    }
}

extension TemporaryFile {
    /// Gives a finished file its final name, atomically.
    ///
    /// - Parameter overwrite: Whether to replace a file of that name.
    /// - throws: ``FileError`` of the codes `unwritable`, `diskFull`, `io`. If another process has taken the name
    ///   meanwhile, the finished file is kept under another name, which the error states.
    package static func publish(_ temporary: String, as path: String, overwrite: Bool) throws(FileError) {
        let place = target(of: path)
        let failure = publish(temporary, place, replaces: overwrite)
        if failure == EEXIST, let kept = keep(temporary, beside: place) {
            forget(temporary)
            throw FileError(
                .unwritable, path: path,
                "\(path): another program has created this file; the finished output is kept as \(kept)")
        }
        if failure == ENOENT, FileKind.of(temporary) == nil {
            forget(temporary)
            throw FileError(removed: temporary, of: path)
        }
        guard failure == 0 else { throw FileError(writing: path, number: failure) }
        forget(temporary)
    }

    /// Gives a file a name.
    ///
    /// - Returns: 0, or an error number: `EEXIST` if the name is taken.
    private static func publish(_ temporary: String, _ name: String, replaces: Bool = false) -> Int32 {
        do throws(RawFileError) {
            try RawFile.publish(Array(temporary.utf8), as: Array(name.utf8), replaces: replaces)
            return 0
        } catch {
            return error.number
        }
    }

    /// Gives an incomplete file a name that marks it as incomplete: `name.partial.mp4`, or else the first free name of
    /// `name.partial-2.mp4`, `name.partial-3.mp4` and so on.
    ///
    /// - Parameter overwrite: Whether to replace an earlier partial file. The file at `path` is never replaced.
    /// - Returns: The name.
    /// - throws: ``FileError`` of the codes `unwritable`, `diskFull`, `io`.
    package static func publishPart(
        _ temporary: String, of path: String, overwrite: Bool
    ) throws(FileError) -> String {
        let place = target(of: path)
        let first = sibling(of: place, adding: ".partial")
        if overwrite {
            try publish(temporary, as: first, overwrite: true)
            return first
        }
        for number in 1..<1000 {
            let name = number == 1 ? first : sibling(of: place, adding: ".partial-\(number)")
            let failure = publish(temporary, name)
            if failure == 0 {
                forget(temporary)
                return name
            }
            guard failure == EEXIST else { throw FileError(writing: name, number: failure) }
        }
        throw FileError(writing: first, number: EEXIST)
    }

    /// Gives a file the first free name of `name-1.mp4`, `name-2.mp4` and so on.
    private static func keep(_ temporary: String, beside place: String) -> String? {
        for number in 1..<1000 {
            let free = sibling(of: place, adding: "-\(number)")
            let failure = publish(temporary, free)
            if failure == 0 { return free }
            guard failure == EEXIST else { return nil }
        }
        return nil
    }

    /// Returns the path with a text inserted before its extension.
    private static func sibling(of place: String, adding words: String) -> String {
        let folder = String(folder(of: place))
        let name = place.dropFirst(folder.count)
        let ending = name.lastIndex(of: ".").map { name[$0...] } ?? ""
        return folder + fitting(name.dropLast(ending.count), ending: words + ending)
    }
}

extension TemporaryFile {
    /// Removes the unfinished files of `path` that killed processes have left.
    ///
    /// A process of another machine that shares the folder counts as ended if its id is not in use on this machine. The
    /// removal is safe, because two machines must not write one file at the same time.
    ///
    /// - Returns: The paths of the removed files, sorted.
    package static func removeLeftovers(of path: String) -> [String] {
        let target = target(of: path)
        let folder = folder(of: target)
        let start = "." + target.dropFirst(folder.count) + partialMark
        return removeLeftovers(in: folder) { name in
            name.hasPrefix(start) ? pid_t(name.dropFirst(start.count)) : nil
        }
    }

    /// Removes the unfinished files in a folder that killed processes have left.
    ///
    /// - Parameter process: Returns the process id in a file name; `nil` for a file to keep.
    /// - Returns: The paths of the removed files, sorted.
    package static func removeLeftovers(in folder: Substring, of process: (String) -> pid_t?) -> [String] {
        guard let listing = unsafe opendir(folder.isEmpty ? "." : String(folder)) else { return [] }
        defer { unsafe closedir(listing) }
        return unsafe DirectoryNames.all(in: listing)
            .filter { process($0).map(isGone) ?? false }.map { String(folder) + $0 }
            .filter { unsafe unlink($0) == 0 }.sorted()
    }

    /// Returns whether no process of this machine has the id.
    static func isGone(_ process: pid_t) -> Bool {
        process > 0 && kill(process, 0) != 0 && errno == ESRCH
    }
}

/// The content of an open folder.
enum DirectoryNames {
    /// Reads the remaining names, including hidden ones, `.` and `..`.
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
