import Platform

/// Reads small files.
enum SettingsFile {
    /// Far more than any configuration has.
    private static let largest = 1 << 20

    /// A file's bytes; `nil` where there is none and none is required.
    ///
    /// - Throws: ``FlourishError/Code/inputUnavailable``.
    static func read(_ path: String, isRequired: Bool) throws(FlourishError) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let reason = errno
            if !isRequired, reason == ENOENT || reason == ENOTDIR { return nil }
            throw unreadable(path, reason)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = unsafe block.withUnsafeMutableBytes {
                unsafe Platform.read(descriptor, $0.baseAddress, $0.count)
            }
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw unreadable(path, errno)
            }
            bytes += block[..<count]
            if bytes.count > largest {
                throw FlourishError(.usage, "\(path): is far too large for a configuration file")
            }
        }
    }

    private static func unreadable(_ path: String, _ reason: Int32) -> FlourishError {
        let text =
            switch reason {
            case ENOENT, ENOTDIR: "there is no such configuration file"
            case EACCES: "the configuration file may not be read"
            case EISDIR: "is a folder, not a configuration file"
            default: "the configuration file cannot be read (error \(reason))"
            }
        return FlourishError(.inputUnavailable, "\(path): \(text)")
    }
}
