internal import CFFmpeg
package import Platform

/// A hash of all bytes of a file, by which the same content is known again.
package enum FileFingerprint {
    /// How many bytes are read at once.
    private static let step = 1 << 20

    /// - Parameter interrupt: ends it early.
    /// - Returns: such as `murmur3:` and 32 hexadecimal digits; `nil` where it was ended early.
    /// - throws: `RawFileError` where the file cannot be read.
    package static func of(_ path: [UInt8], interrupt: InterruptFlag) throws(RawFileError) -> String? {
        let descriptor = try RawFile.open(path, O_RDONLY)
        defer { close(descriptor) }
        guard let hash = try? VideoFingerprint(path: "") else { throw RawFileError(number: ENOMEM) }
        var buffer = [UInt8](repeating: 0, count: step)
        while !interrupt.isRaised {
            let count = unsafe read(descriptor, &buffer, step)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw RawFileError(number: errno) }
            if count == 0 { return hash.finish() }
            hash.add(buffer[..<count])
        }
        return nil
    }

    /// The hash that a file of these bytes has.
    ///
    /// - throws: ``MediaError`` of the code `internal` where there is no memory.
    package static func of(_ bytes: [UInt8]) throws(MediaError) -> String {
        let hash = try VideoFingerprint(path: "")
        hash.add(bytes[...])
        return hash.finish()
    }
}
