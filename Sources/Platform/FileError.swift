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
