/// Reads from an open file descriptor.
package enum DescriptorInput {
    /// Returns whether the descriptor is a regular file, which has an end.
    package static func isPlainFile(_ descriptor: Int32) -> Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Reads to the end, or to one byte beyond a limit.
    ///
    /// - Returns: `nil` if reading fails.
    package static func readAll(_ descriptor: Int32, limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count < 0 { return nil }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return bytes
    }
}

/// Writes to an open file descriptor without a buffer.
package enum DescriptorOutput {
    /// Writes all bytes, with repeated system calls if needed.
    ///
    /// - Returns: 0, or the error number of the write that failed.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe Platform.write(descriptor, buffer.baseAddress, buffer.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = rest.dropFirst(count)
        }
        return 0
    }

    /// Returns the open descriptor that a path denotes, such as `/dev/stderr` or `/dev/fd/3`; `nil` for other paths.
    ///
    /// A program that opened such a path again would write the file from its beginning, over the output of other
    /// writers.
    package static func descriptor(named path: String) -> Int32? {
        switch path {
        case "-", "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default:
            let folders = ["/dev/fd/", "/proc/self/fd/"]
            guard let folder = folders.first(where: path.hasPrefix) else { return nil }
            let number = path.dropFirst(folder.count)
            return number.allSatisfy(\.isWholeNumber) ? Int32(number) : nil
        }
    }
}
