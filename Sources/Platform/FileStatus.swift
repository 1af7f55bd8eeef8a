/// Queries about the file at a path, which change nothing: its kind (a regular file, a folder, a pipe or a device), its
/// size, and whether it can be read.
package enum FileKind {
    /// Returns the kind as in `st_mode`, following symbolic links; nil if there is no file.
    package static func of(_ path: String) -> mode_t? {
        var info = stat()
        return unsafe stat(path, &info) == 0 ? info.st_mode & S_IFMT : nil
    }

    /// Returns whether the path itself is a folder, not a link to one.
    package static func isOwnFolder(_ path: String) -> Bool {
        var info = stat()
        return unsafe lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns whether the path itself is a regular file, not a link to one.
    package static func isOwnFile(_ path: String) -> Bool {
        var info = stat()
        return unsafe lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
    }

    /// Returns the size of a regular file in bytes, following symbolic links; nil for other kinds.
    ///
    /// Calls `stat`, because the types of Foundation's file attributes depend on whether only FoundationEssentials is
    /// linked, as in the installed program.
    package static func size(of path: String) -> Int? {
        var info = stat()
        guard unsafe stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(info.st_size)
    }

    /// Returns whether a regular file can be read from the disk. Only the first and the last 64 MB are tested, where
    /// damage is most likely to be found.
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

/// Identifies one version of a file by device, inode, size and modification time.
package struct FileStamp: Sendable, Hashable {
    private let device: UInt64
    private let node: UInt64
    /// The size in bytes.
    package let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// Creates the stamp of the file at a path, following symbolic links; nil if there is no file.
    ///
    /// `stat`
    package init?(of path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Creates the stamp of an open file.
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

/// The reason why a file could not be written, in words for the user who specified the file.
package struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: Sendable, Hashable {
        /// The file cannot be created at the requested place.
        case unwritable
        case diskFull
        /// Writing failed midway.
        case io
        case outOfMemory
    }

    package var code: Code
    /// The file's path as the caller passed it.
    package var path: String
    /// One line that names the file, states the fault and, where possible, the remedy.
    package var message: String
    /// The system's message, if it adds information.
    package var detail: String?

    package init(_ code: Code, path: String, _ message: String, detail: String? = nil) {
        self.code = code
        self.path = path
        self.message = message
        self.detail = detail
    }

    /// Creates the error for an error number from writing a file.
    package init(writing path: String, number: Int32) {
        self =
            FileError(path, cause: number)
            ?? FileError(.io, path: path, "\(path): could not be written", detail: systemMessage(number))
    }

    /// Creates the error for an unfinished file that no longer exists.
    package init(removed temporary: String, of path: String) {
        self.init(
            .io, path: path, "\(path): its temporary file, \(temporary), was removed by another program; try again")
    }

    /// Creates the error for an error number from writing a file; `nil` if there is no message for it.
    package init?(_ path: String, cause number: Int32) {
        switch number {
        case ENOSPC, EDQUOT:
            self.init(.diskFull, path: path, "\(path): the disk is full; free some space and try again")
        // The folder exists, but its file system accepts no new files, as with /proc.
        case ENOENT where FileKind.of(String(TemporaryFile.folder(of: TemporaryFile.target(of: path)) + ".")) == S_IFDIR:
            self.init(.unwritable, path: path, "\(path): its folder is not writable; choose another path")
        case ENOENT, ENOTDIR:
            self.init(
                .unwritable, path: path, "\(path): its folder does not exist; create the folder or choose another path")
        case EACCES, EPERM, EROFS:
            self.init(.unwritable, path: path, "\(path): permission denied; check the folder's permissions")
        case EISDIR: self.init(.unwritable, path: path, "\(path): is a folder; name a file")
        case ELOOP:
            self.init(
                .unwritable, path: path, "\(path): is a symbolic link to itself; choose another path")
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

/// Returns the system's message for an error number.
package func systemMessage(_ code: Int32) -> String {
    unsafe String(cString: strerror(code))
}
