internal import CFFmpeg
package import Platform

/// A hash of a recording's video, which identifies the recording even if its file is renamed. The hash covers the time
/// stamp, the size and the bytes of each packet.
///
/// `AVMurMur3`
@safe
final class VideoFingerprint {
    private let state: OpaquePointer

    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    init(path: String) throws(MediaError) {
        guard let state = unsafe av_murmur3_alloc() else { throw .outOfMemory(path) }
        unsafe av_murmur3_init(state)
        unsafe self.state = unsafe state
    }

    deinit { unsafe av_free(UnsafeMutableRawPointer(state)) }

    /// Adds the next packet of the video.
    func add(_ packet: borrowing Packet) {
        var head = [UInt8]()
        for number in [packet.presentationTime?.value ?? .min, Int64(packet.size)] {
            unsafe withUnsafeBytes(of: number.littleEndian) { unsafe head.append(contentsOf: $0) }
        }
        unsafe av_murmur3_update(state, head, head.count)
        packet.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { unsafe av_murmur3_update(state, $0.baseAddress, $0.count) }
        }
    }

    /// Adds bytes.
    func add(_ bytes: ArraySlice<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe av_murmur3_update(state, $0.baseAddress, $0.count) }
    }

    /// Returns the hash: `murmur3:` and 32 hexadecimal digits. Nothing may be added afterwards.
    func finish() -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        unsafe av_murmur3_final(state, &bytes)
        return "murmur3:" + hexadecimal(bytes)
    }
}

/// Returns bytes as hexadecimal digits.
private func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}

/// The number of bytes of one read.
private let readSize = 1 << 20

/// Calls a closure with the bytes of a file, part by part.
///
/// - Parameter interrupt: A flag that ends the call early.
/// - Returns: False if the call was interrupted.
private func readAll(
    _ path: [UInt8], interrupt: InterruptFlag = InterruptFlag(), _ body: (ArraySlice<UInt8>) -> Void
) throws(RawFileError) -> Bool {
    let descriptor = try RawFile.open(path, O_RDONLY)
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: readSize)
    while !interrupt.isRaised {
        let count = unsafe read(descriptor, &buffer, readSize)
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw RawFileError(number: errno) }
        if count == 0 { return true }
        body(buffer[..<count])
    }
    return false
}

/// A hash of all bytes of a file, which identifies its content.
package enum FileFingerprint {
    /// Returns the hash of a file.
    ///
    /// - Parameter interrupt: A flag that ends the call early.
    /// - Returns: `murmur3:` and 32 hexadecimal digits; `nil` if the call was interrupted.
    /// - throws: `RawFileError` if the file cannot be read.
    package static func of(_ path: [UInt8], interrupt: InterruptFlag) throws(RawFileError) -> String? {
        guard let hash = try? VideoFingerprint(path: "") else { throw RawFileError(number: ENOMEM) }
        return try readAll(path, interrupt: interrupt, hash.add) ? hash.finish() : nil
    }

    /// Returns the hash of a file with these bytes.
    ///
    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    package static func of(_ bytes: [UInt8]) throws(MediaError) -> String {
        let hash = try VideoFingerprint(path: "")
        hash.add(bytes[...])
        return hash.finish()
    }
}

/// The SHA-256 of files, which verifies downloads.
package enum FileDigest {
    /// Returns the SHA-256 of a file.
    ///
    /// - Returns: 64 hexadecimal digits, as `sha256sum` prints them; nil if the file cannot be read, or there is no
    ///   memory.
    ///
    /// `av_sha_init`
    package static func sha256(of path: String) -> String? {
        guard let state = unsafe av_sha_alloc() else { return nil }
        defer { unsafe av_free(UnsafeMutableRawPointer(state)) }
        guard unsafe av_sha_init(state, 256) >= 0,
            (try? readAll(Array(path.utf8)) { bytes in
                unsafe bytes.withUnsafeBufferPointer { unsafe av_sha_update(state, $0.baseAddress, $0.count) }
            }) == true
        else { return nil }
        var digest = [UInt8](repeating: 0, count: 32)
        unsafe av_sha_final(state, &digest)
        return hexadecimal(digest)
    }
}
