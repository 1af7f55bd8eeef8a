/// Accesses the file system by paths as bytes, since Linux accepts names that are not UTF-8.
package enum RawFile {
    /// The kind, identity, size and modification time of a file.
    package struct Status: Sendable, Hashable {
        package enum Kind: Sendable, Hashable { case file, folder, other }

        package var kind: Kind
        package var device: UInt64
        package var node: UInt64
        /// The size in bytes.
        package var size: Int
        /// The modification time, in nanoseconds since 1970.
        package var modified: Int64

        /// Returns whether both values describe the same file, by device and inode.
        package func isSame(as other: Status) -> Bool { device == other.device && node == other.node }

        init(_ info: stat) {
            switch info.st_mode & S_IFMT {
            case S_IFREG: kind = .file
            case S_IFDIR: kind = .folder
            default: kind = .other
            }
            device = UInt64(truncatingIfNeeded: info.st_dev)
            node = UInt64(info.st_ino)
            size = Int(info.st_size)
            #if canImport(Darwin)
            let time = info.st_mtimespec
            #else
            let time = info.st_mtim
            #endif
            modified = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        }
    }

    /// Returns the status of a path's target, following symbolic links, or the error number.
    package static func status(_ path: [UInt8]) -> Result<Status, RawFileError> {
        var info = stat()
        guard unsafe stat(terminated(path), &info) == 0 else { return .failure(RawFileError(number: errno)) }
        return .success(Status(info))
    }

    /// Returns the status of an open file.
    package static func status(descriptor: Int32) -> Status? {
        var info = stat()
        return unsafe fstat(descriptor, &info) == 0 ? Status(info) : nil
    }

    /// Returns the names in a folder except `.` and `..`, sorted by their bytes.
    package static func names(in folder: [UInt8]) throws(RawFileError) -> [[UInt8]] {
        guard let stream = unsafe opendir(terminated(folder)) else { throw RawFileError(number: errno) }
        defer { unsafe closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            if name != [dot], name != [dot, dot] { names.append(name) }
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Opens a file.
    package static func open(_ path: [UInt8], _ flags: Int32) throws(RawFileError) -> Int32 {
        let descriptor = unsafe Platform.open(terminated(path), flags | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw RawFileError(number: errno) }
        return descriptor
    }

    /// Creates a folder, and its missing parents.
    package static func makeFolder(_ path: [UInt8]) throws(RawFileError) {
        if unsafe mkdir(terminated(path), 0o777) == 0 { return }
        if errno == EEXIST || errno == EISDIR {
            if case .success(let status) = status(path), status.kind == .folder { return }
            throw RawFileError(number: ENOTDIR)
        }
        guard errno == ENOENT, let slash = path.dropLast().lastIndex(of: slash), slash > 0 else {
            throw RawFileError(number: errno)
        }
        try makeFolder(Array(path[..<slash]))
        guard unsafe mkdir(terminated(path), 0o777) == 0 || errno == EEXIST else { throw RawFileError(number: errno) }
    }

    /// Gives a finished file its final name, atomically.
    ///
    /// - Parameter replaces: Whether to replace an existing file, in which case the new file gets its permissions. If
    ///   false, an existing file is an error, `EEXIST`.
    package static func publish(_ file: [UInt8], as path: [UInt8], replaces: Bool) throws(RawFileError) {
        if !replaces {
            if unsafe link(terminated(file), terminated(path)) == 0 { return remove(file) }
            guard [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) else { throw RawFileError(number: errno) }
            // The file system has no hard links, so an empty file reserves the name until the finished file replaces
            // it.
            close(try open(path, O_WRONLY | O_CREAT | O_EXCL))
        }
        var info = stat()
        if replaces, unsafe stat(terminated(path), &info) == 0 {
            _ = unsafe chmod(terminated(file), info.st_mode & 0o777)
        }
        guard unsafe rename(terminated(file), terminated(path)) == 0 else {
            let error = RawFileError(number: errno)
            if !replaces { remove(path) }
            throw error
        }
    }

    /// Gives a file or a folder another name in the same file system, atomically. An existing file is replaced; an
    /// existing folder only if it is empty.
    package static func move(_ path: [UInt8], to other: [UInt8]) throws(RawFileError) {
        guard unsafe rename(terminated(path), terminated(other)) == 0 else { throw RawFileError(number: errno) }
    }

    /// Removes a file, if it exists.
    package static func remove(_ path: [UInt8]) { _ = unsafe unlink(terminated(path)) }

    /// Removes a folder with the files in it.
    package static func removeFolder(_ path: [UInt8]) {
        for name in (try? names(in: path)) ?? [] { remove(path + [slash] + name) }
        _ = unsafe rmdir(terminated(path))
    }

    /// Returns whether a program has the file open for writing; `nil` if the system cannot detect it.
    ///
    /// Linux grants no read lease for a file that is being written. The lease is released at once. A program that opens
    /// the file for writing in the meantime waits for the release, and the kernel sends `SIGIO` to this process, which
    /// must ignore it.
    package static func isBeingWritten(_ path: [UInt8]) -> Bool? {
        #if canImport(Glibc)
        guard let descriptor = try? open(path, O_RDONLY | O_NONBLOCK) else { return nil }
        defer { close(descriptor) }
        if fcntl(descriptor, Self.setLease, F_RDLCK) == 0 {
            _ = fcntl(descriptor, Self.setLease, F_UNLCK)
            return false
        }
        return errno == EAGAIN ? true : nil
        #else
        return nil
        #endif
    }

    /// `F_SETLEASE`
    private static let setLease: Int32 = 1024

    package static let slash = UInt8(ascii: "/")
    package static let dot = UInt8(ascii: ".")

    /// Returns a path as a C string.
    private static func terminated(_ path: [UInt8]) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }
}

/// An error number of the system.
package struct RawFileError: Error, Sendable, Hashable {
    /// `errno`
    package var number: Int32

    package init(number: Int32) { self.number = number }

    /// The system's message.
    package var message: String { systemMessage(number) }
}

/// Represents file names in arbitrary bytes as text.
///
/// Linux allows every byte but `/` and 0 in a name. Each byte that is not part of valid UTF-8 becomes one scalar at the
/// end of Unicode's private use area, from U+10FF80 to U+10FFFF. Scalars of that range in the name itself are escaped
/// in the same way. The conversion is reversible for every name.
package enum RawName {
    private static let base: UInt32 = 0x10_FF00
    private static let escapes: ClosedRange<UInt32> = 0x10_FF80...0x10_FFFF

    /// Returns the text for a name.
    package static func text(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !isEscaped(text) { return text }
        var text = String.UnicodeScalarView()
        var index = 0
        while index < bytes.count {
            // The length of a scalar follows from its first byte; the library checks that it is valid.
            let length = max(1, (~bytes[index]).leadingZeroBitCount)
            let end = min(index + length, bytes.count)
            let scalar = String(validating: bytes[index..<end], as: UTF8.self)?.unicodeScalars.first
            if let scalar, !escapes.contains(scalar.value) {
                text.append(scalar)
                index = end
            } else {
                // The sum of base and byte is always a scalar.
                if let escape = Unicode.Scalar(base + UInt32(bytes[index])) { text.append(escape) }
                index += 1
            }
        }
        return String(text)
    }

    /// Returns the name for a text.
    package static func bytes(_ text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar in
            escapes.contains(scalar.value)
                ? [UInt8(scalar.value - base)] : Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }

    /// Returns the byte that a scalar represents; nil for other scalars.
    package static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
        escapes.contains(scalar.value) ? UInt8(scalar.value - base) : nil
    }

    /// Returns whether a text represents a name that is not UTF-8.
    package static func isEscaped(_ text: String) -> Bool {
        text.unicodeScalars.contains { escapes.contains($0.value) }
    }
}
