/// The file system by paths in any bytes.
package enum RawFile {
    /// What is known of a file without opening it.
    package struct Status: Sendable, Hashable {
        package enum Kind: Sendable, Hashable { case file, folder, other }

        package var kind: Kind
        package var device: UInt64
        package var node: UInt64
        /// In bytes.
        package var size: Int
        /// When it was written last, in nanoseconds since 1970.
        package var modified: Int64

        /// Whether two are one file, however it is called.
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

    /// What a path leads to, symbolic links followed; the error number where it leads nowhere.
    package static func status(_ path: [UInt8]) -> Result<Status, RawFileError> {
        var info = stat()
        guard unsafe stat(terminated(path), &info) == 0 else { return .failure(RawFileError(number: errno)) }
        return .success(Status(info))
    }

    /// What an open file is.
    package static func status(descriptor: Int32) -> Status? {
        var info = stat()
        return unsafe fstat(descriptor, &info) == 0 ? Status(info) : nil
    }

    /// The names in a folder but `.` and `..`, sorted by their bytes.
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

    /// Makes a folder, and those above it that are missing.
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

    /// Gives a finished file its name, in one step.
    ///
    /// - Parameter replaces: whether it takes the place of what has the name. What only its owner may read stays so then.
    package static func publish(_ file: [UInt8], as path: [UInt8], replaces: Bool) throws(RawFileError) {
        if !replaces {
            if unsafe link(terminated(file), terminated(path)) == 0 { return remove(file) }
            guard [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) else { throw RawFileError(number: errno) }
            // A file system without links: an empty file keeps the name until the real one replaces it.
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

    /// Removes a file, if it is there.
    package static func remove(_ path: [UInt8]) { _ = unsafe unlink(terminated(path)) }

    /// Removes a folder with the files in it.
    package static func removeFolder(_ path: [UInt8]) {
        for name in (try? names(in: path)) ?? [] { remove(path + [slash] + name) }
        _ = unsafe rmdir(terminated(path))
    }

    /// Whether some program has a file open to write into it; `nil` where the system does not say.
    ///
    /// Linux grants nobody a lease to read what is being written. The lease is given back at once; who opens the file
    /// meanwhile waits for that, and its signal must be ignored.
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

    /// As C takes it.
    private static func terminated(_ path: [UInt8]) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }
}

/// Why the system refused something.
package struct RawFileError: Error, Sendable, Hashable {
    /// `errno`
    package var number: Int32

    package init(number: Int32) { self.number = number }

    /// The system's own words.
    package var message: String { systemMessage(number) }
}

/// File names in any bytes, as text.
///
/// Linux takes every byte but `/` and 0 in a name. What of a name is no UTF-8 stands in the text as one scalar for each
/// byte, at the end of Unicode's private use, from U+10FF80 to U+10FFFF; and so does a name's own scalar of that kind.
/// The way back gives the same bytes for every name.
package enum RawName {
    private static let base: UInt32 = 0x10_FF00
    private static let escapes: ClosedRange<UInt32> = 0x10_FF80...0x10_FFFF

    /// The text for a name.
    package static func text(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !isEscaped(text) { return text }
        var text = String.UnicodeScalarView()
        var index = 0
        while index < bytes.count {
            // The length of a scalar follows from its first byte; whether it is one, the library says.
            let length = max(1, (~bytes[index]).leadingZeroBitCount)
            let end = min(index + length, bytes.count)
            let scalar = String(validating: bytes[index..<end], as: UTF8.self)?.unicodeScalars.first
            if let scalar, !escapes.contains(scalar.value) {
                text.append(scalar)
                index = end
            } else {
                // Base and a byte are a scalar, always.
                if let escape = Unicode.Scalar(base + UInt32(bytes[index])) { text.append(escape) }
                index += 1
            }
        }
        return String(text)
    }

    /// The name for a text.
    package static func bytes(_ text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar in
            escapes.contains(scalar.value)
                ? [UInt8(scalar.value - base)] : Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }

    /// The byte that a scalar stands for, where it does.
    package static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
        escapes.contains(scalar.value) ? UInt8(scalar.value - base) : nil
    }

    /// Whether a text stands for a name that is no UTF-8.
    package static func isEscaped(_ text: String) -> Bool {
        text.unicodeScalars.contains { escapes.contains($0.value) }
    }
}
