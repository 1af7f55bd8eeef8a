/// What a path leads to: a plain file, a folder, a pipe, a device.
package enum FileKind {
    /// The kind as `st_mode` has it, symbolic links followed; nil where there is nothing.
    package static func of(_ path: String) -> mode_t? {
        var info = stat()
        return unsafe stat(path, &info) == 0 ? info.st_mode & S_IFMT : nil
    }

    /// Whether there is a folder of a name itself, and no link to one.
    package static func isOwnFolder(_ path: String) -> Bool {
        var info = stat()
        return unsafe lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    }

    /// How many bytes a plain file has; nil for what is none, symbolic links followed.
    ///
    /// Foundation's attributes are of other types where FoundationEssentials alone is linked in, as in the installed
    /// program.
    package static func size(of path: String) -> Int? {
        var info = stat()
        guard unsafe stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(info.st_size)
    }

    /// Whether a disk gives the bytes of a plain file: the first and the last 64 MB, where damage is met.
    package static func canBeRead(_ path: String) -> Bool {
        guard let size = size(of: path) else { return false }
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        let length = 1 << 26
        for start in Set([0, max(0, size - length)]) {
            for place in stride(from: start, to: min(start + length, size), by: piece.count)
            where unsafe pread(file, &piece, piece.count, off_t(place)) < 0 { return false }
        }
        return true
    }
}
