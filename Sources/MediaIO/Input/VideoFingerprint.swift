internal import CFFmpeg

/// A hash of a recording's video, by which the same recording is known again under another name.
package enum VideoFingerprint {
    /// Reads all packets of the video that would be decoded; decodes nothing.
    ///
    /// - Returns: such as `murmur3:` and 32 hexadecimal digits, of each packet's time stamp, size and bytes.
    /// - throws: what opening and reading a ``Demuxer`` throws.
    package static func of(
        _ path: String, settings: InputSettings = InputSettings(), interrupt: InterruptFlag? = nil
    ) throws(MediaError) -> String {
        let demuxer = try Demuxer(path: path, settings: settings, interrupt: interrupt)
        guard let hash = PacketHash() else { throw .outOfMemory(path) }
        while let packet = try demuxer.readPacket() {
            if packet.streamIndex == demuxer.video.index { hash.add(packet) }
        }
        return "murmur3:" + hash.finish()
    }
}

/// A hash of packets, one after the other.
///
/// `AVMurMur3`
@safe
private struct PacketHash: ~Copyable {
    private let state: OpaquePointer

    init?() {
        guard let state = unsafe av_murmur3_alloc() else { return nil }
        unsafe av_murmur3_init(state)
        unsafe self.state = unsafe state
    }

    deinit { unsafe av_free(UnsafeMutableRawPointer(state)) }

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

    /// The hash of all that was added, in hexadecimal digits. Nothing is added after it.
    func finish() -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        unsafe av_murmur3_final(state, &bytes)
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
