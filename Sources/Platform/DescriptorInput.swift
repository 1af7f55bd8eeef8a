/// Reading from an open file descriptor.
package enum DescriptorInput {
    /// Whether it is a plain file, which has an end.
    package static func isPlainFile(_ descriptor: Int32) -> Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Reads to the end, or a byte beyond a limit.
    ///
    /// - Returns: `nil` where reading fails.
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
