import Synchronization

/// Files that grow beside the one that was asked for, and take its name when they are whole.
///
/// Where the name is a symbolic link, the file that it leads to is meant.
package enum TemporaryFile {
    private static let unfinished = Mutex<Set<String>>([])
    private static let watcher = Mutex<(@Sendable (_ path: String, _ isUnfinished: Bool) -> Void)?>(nil)

    /// Calls `watcher` for each file that is begun from now on, and again once the file counts as unfinished no more.
    package static func watch(_ watcher: @escaping @Sendable (_ path: String, _ isUnfinished: Bool) -> Void) {
        Self.watcher.withLock { $0 = watcher }
    }

    /// A hidden name in the file's own folder that no other process uses. The file there counts as
    /// unfinished until it is published or removed.
    ///
    /// - throws: ``FileError`` of the code `unwritable` where no file can take the final name.
    package static func reserve(for path: String) throws(FileError) -> String {
        if isFolder(path) { throw FileError(.unwritable, path: path, "\(path): is a folder; name a file") }
        if isSpecial(path) {
            throw FileError(
                .unwritable, path: path, "\(path): is no plain file and cannot be replaced by one; name another")
        }
        var info = stat()
        if unsafe stat(path, &info) < 0, errno == ELOOP { throw FileError(writing: path, number: ELOOP) }
        let temporary = hiddenName(beside: target(of: path))
        unfinished.withLock { _ = $0.insert(temporary) }
        watcher.withLock { $0 }?(temporary, true)
        return temporary
    }

    /// Whether a file of this process that is not whole yet will take a name.
    package static func isAwaited(_ path: String) -> Bool {
        var info = stat()
        return unsafe lstat(hiddenName(beside: target(of: path)), &info) == 0
    }

    /// What stands between the name and the process's number.
    static let partialMark = ".partial-"

    private static func hiddenName(beside target: String) -> String {
        let folder = folder(of: target)
        return folder + fitting("." + target.dropFirst(folder.count), ending: "\(partialMark)\(getpid())")
    }

    /// A name as long as file systems take it: up to 255 bytes, of which the ending is kept.
    static func fitting(_ name: some StringProtocol, ending: String) -> String {
        var name = String(name)
        while name.utf8.count + ending.utf8.count > 255 { name.removeLast() }
        return name + ending
    }

    /// Removes all unfinished files, for a process that is about to end at once.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    package static func removeAll() -> Bool {
        unfinished.withLock { paths in
            defer { paths = [] }
            for path in paths { _ = unsafe unlink(path) }
            return !paths.isEmpty
        }
    }

    /// Where symbolic links lead to, which need not exist.
    package static func target(of path: String) -> String {
        var target = path
        // As many links as Linux follows.
        for _ in 0..<40 {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = unsafe readlink(target, &buffer, buffer.count)
            guard count > 0 else { break }
            let link = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            target = link.hasPrefix("/") ? link : folder(of: target) + link
        }
        return target
    }

    /// The part of a path up to its last slash, which it includes.
    package static func folder(of path: String) -> Substring {
        path.lastIndex(of: "/").map { path[...$0] } ?? ""
    }

    /// Sees whether a file may be made where a path leads to: what takes long to make is not to fail in the end.
    ///
    /// - throws: ``FileError``, mostly of the code `unwritable`.
    package static func checkFolder(of path: String) throws(FileError) {
        let folder = folder(of: target(of: path))
        guard unsafe access(folder.isEmpty ? "." : String(folder), W_OK | X_OK) == 0 else {
            throw FileError(writing: path, number: errno)
        }
    }

    /// Whether the final name belongs to a folder, which no file can replace.
    package static func isFolder(_ path: String) -> Bool { FileKind.of(path) == S_IFDIR }

    /// Whether the name leads to something that bytes are written into rather than a file that can be
    /// replaced: a named pipe, a terminal, `/dev/null`.
    package static func isSpecial(_ path: String) -> Bool {
        FileKind.of(path).map { $0 != S_IFREG && $0 != S_IFDIR } ?? false
    }

    /// Whether the name leads to a named pipe.
    package static func isNamedPipe(_ path: String) -> Bool { FileKind.of(path) == S_IFIFO }

    package static func remove(_ temporary: String) {
        _ = unsafe unlink(temporary)
        forget(temporary)
    }

    /// The file counts as unfinished no more.
    package static func forget(_ temporary: String) {
        unfinished.withLock { _ = $0.remove(temporary) }
        watcher.withLock { $0 }?(temporary, false)
    }

    /// Writes a whole file, or nothing.
    ///
    /// - Parameter overwrite: Whether it replaces what has the name already.
    /// - Returns: the stamp of what was written, which is not that of what has the name afterwards where somebody else
    ///   writes there at once.
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

    /// Writes what a file is to hold, and returns where, until it is published or removed.
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
    /// Gives a finished file its final name, in one step.
    ///
    /// - Parameter overwrite: Whether it replaces what has the name already.
    /// - throws: ``FileError`` of the codes `unwritable`, `diskFull`, `io`. Where somebody else took the name
    ///   meanwhile, the finished file is kept under another, which the error tells.
    package static func publish(_ temporary: String, as path: String, overwrite: Bool) throws(FileError) {
        let place = target(of: path)
        let failure = give(temporary, place, replaces: overwrite)
        if failure == EEXIST, let kept = keep(temporary, beside: place) {
            forget(temporary)
            throw FileError(
                .unwritable, path: path,
                "\(path): somebody else made a file of this name meanwhile; the finished one is kept as \(kept)")
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
    /// - Returns: 0, or an error number: `EEXIST` where the name is not free.
    private static func give(_ temporary: String, _ name: String, replaces: Bool = false) -> Int32 {
        do throws(RawFileError) {
            try RawFile.publish(Array(temporary.utf8), as: Array(name.utf8), replaces: replaces)
            return 0
        } catch {
            return error.number
        }
    }

    /// Gives a file that holds only the beginning of what was asked for a name that says so: `name.partial.mp4`, or
    /// else the first free one of `name.partial-2.mp4`, `name.partial-3.mp4` and so on.
    ///
    /// - Parameter overwrite: Whether it replaces an earlier part; never what is called `path`.
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
            let failure = give(temporary, name)
            if failure == 0 {
                forget(temporary)
                return name
            }
            guard failure == EEXIST else { throw FileError(writing: name, number: failure) }
        }
        throw FileError(writing: first, number: EEXIST)
    }

    /// Gives a file the first free one of `name-1.mp4`, `name-2.mp4` and so on.
    private static func keep(_ temporary: String, beside place: String) -> String? {
        for number in 1..<1000 {
            let free = sibling(of: place, adding: "-\(number)")
            let failure = give(temporary, free)
            if failure == 0 { return free }
            guard failure == EEXIST else { return nil }
        }
        return nil
    }

    /// The path with something before its ending.
    private static func sibling(of place: String, adding words: String) -> String {
        let folder = String(folder(of: place))
        let name = place.dropFirst(folder.count)
        let ending = name.lastIndex(of: ".").map { name[$0...] } ?? ""
        return folder + fitting(name.dropLast(ending.count), ending: words + ending)
    }
}

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
private enum DirectoryNames {
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
