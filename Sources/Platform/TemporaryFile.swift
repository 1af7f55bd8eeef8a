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
