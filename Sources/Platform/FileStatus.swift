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

/// What tells a file from the one that had its name before: who wrote it last, and when.
package struct FileStamp: Sendable, Hashable {
    private let device: UInt64
    private let node: UInt64
    /// Bytes.
    package let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// The stamp of what a path leads to; nil where there is nothing.
    ///
    /// `stat`
    package init?(of path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The stamp of an open file.
    ///
    /// `fstat`
    package init?(descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        node = UInt64(status.st_ino)
        size = Int(status.st_size)
        #if canImport(Darwin)
        (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
        #else
        (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        #endif
    }
}

/// Why a file could not be written, in words for the person who named it.
package struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: Sendable, Hashable {
        /// The file cannot be created where it was asked for.
        case unwritable
        case diskFull
        /// Writing failed midway.
        case io
        case outOfMemory
    }

    package var code: Code
    /// The file's path as it was given.
    package var path: String
    /// One line that names the file, says what is wrong and, where that helps, what to do.
    package var message: String
    /// The system's own words, where they say more.
    package var detail: String?

    package init(_ code: Code, path: String, _ message: String, detail: String? = nil) {
        self.code = code
        self.path = path
        self.message = message
        self.detail = detail
    }

    /// The error for an error number that writing a file gave.
    package init(writing path: String, number: Int32) {
        self =
            FileError(path, cause: number)
            ?? FileError(.io, path: path, "\(path): could not be written", detail: systemMessage(number))
    }

    /// The error for an unfinished file that is not there any more.
    package init(removed temporary: String, of path: String) {
        self.init(.io, path: path, "\(path): what was written of it, \(temporary), was removed by somebody; try again")
    }

    /// The error for an error number that writing a file gave; `nil` where there are no words for it.
    package init?(_ path: String, cause number: Int32) {
        switch number {
        case ENOSPC, EDQUOT:
            self.init(.diskFull, path: path, "\(path): the disk is full; free some space and try again")
        case ENOENT, ENOTDIR:
            self.init(
                .unwritable, path: path, "\(path): its folder does not exist; create the folder or name another")
        case EACCES, EPERM, EROFS:
            self.init(.unwritable, path: path, "\(path): may not be written; check the folder's permissions")
        case EISDIR: self.init(.unwritable, path: path, "\(path): is a folder; name a file")
        case ELOOP:
            self.init(
                .unwritable, path: path, "\(path): is a symbolic link that leads to itself; name another")
        case ENAMETOOLONG: self.init(.unwritable, path: path, "\(path): the name is too long")
        case ENOMEM: self.init(.outOfMemory, path: path, "\(path): out of memory")
        default: return nil
        }
    }

    package var description: String {
        guard let detail else { return message }
        return "\(message) (\(detail))"
    }
}

/// The system's own words for an error number.
package func systemMessage(_ code: Int32) -> String {
    unsafe String(cString: strerror(code))
}
