/// Writing to an open file descriptor, past every buffer.
package enum DescriptorOutput {
    /// Writes all bytes, however many calls that takes.
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

    /// The open descriptor that a path stands for, such as `/dev/stderr` or `/dev/fd/3`; `nil` for other paths.
    ///
    /// Opened by such a name, a file would be written from its beginning, over what others write to it.
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
