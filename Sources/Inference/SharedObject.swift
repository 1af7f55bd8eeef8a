import Platform

/// A shared library as a file, before it is opened.
enum SharedObject {
    /// Whether an ELF file ends before a segment of it does. The system maps such a file all the same, and the process
    /// dies when it comes to the missing part.
    ///
    /// - Returns: `false` for what is no ELF file of 64 bits in this machine's byte order, of which nothing is known.
    static func isCutOff(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var info = stat()
        guard unsafe fstat(descriptor, &info) == 0 else { return false }
        let size = UInt64(max(0, info.st_size))
        func read(_ count: Int, at offset: UInt64) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: count)
            guard offset <= UInt64(Int64.max) else { return nil }
            return unsafe pread(descriptor, &bytes, count, off_t(offset)) == count ? bytes : nil
        }
        guard let magic = read(6, at: 0), magic == [0x7F, 0x45, 0x4C, 0x46, 2, 1] else { return false }
        // From here on it is one: what cannot be read is missing (System V ABI, chapters 4 and 5).
        guard let header = read(64, at: 0) else { return true }
        let segments = number(header, at: 0x20, bytes: 8), each = number(header, at: 0x36, bytes: 2)
        let count = number(header, at: 0x38, bytes: 2)
        guard each >= 56, segments <= size else { return true }
        for index in 0..<count {
            guard let segment = read(56, at: segments + index * each) else { return true }
            let (end, overflows) = number(segment, at: 8, bytes: 8)
                .addingReportingOverflow(number(segment, at: 32, bytes: 8))
            if overflows || end > size { return true }
        }
        return false
    }

    private static func number(_ bytes: [UInt8], at offset: Int, bytes count: Int) -> UInt64 {
        (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
    }
}
