internal import CFFmpeg
import Platform

/// The SHA-256 of files, by which it is known whether they came as they were sent.
package enum FileDigest {
    /// How many bytes are read at once.
    private static let step = 1 << 18

    /// - Returns: 64 hexadecimal digits, as `sha256sum` prints them; nil where the file cannot be read, or there is no memory.
    ///
    /// `av_sha_init`
    package static func sha256(of path: String) -> String? {
        guard let state = unsafe av_sha_alloc() else { return nil }
        defer { unsafe av_free(UnsafeMutableRawPointer(state)) }
        guard unsafe av_sha_init(state, 256) >= 0, let descriptor = try? RawFile.open(Array(path.utf8), O_RDONLY)
        else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: step)
        while true {
            let count = unsafe read(descriptor, &buffer, step)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            unsafe av_sha_update(state, buffer, count)
        }
        var digest = [UInt8](repeating: 0, count: 32)
        unsafe av_sha_final(state, &digest)
        return digest.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
