internal import CFFmpeg

/// A hash of a recording's video, by which the same recording is known again under another name: of each packet's
/// time stamp, size and bytes.
///
/// `AVMurMur3`
@safe
final class VideoFingerprint {
    private let state: OpaquePointer

    /// - throws: ``MediaError`` of the code `internal` where there is no memory.
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

    /// Such as `murmur3:` and 32 hexadecimal digits. Nothing is added after it.
    func finish() -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        unsafe av_murmur3_final(state, &bytes)
        let digits = Array("0123456789abcdef")
        return "murmur3:" + String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
