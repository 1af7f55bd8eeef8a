/// The first bits of VP8 and VP9 frames.
enum VPXHeader {
    /// RFC 6386, 9.1. - Returns: nil for a frame that is not shown.
    static func role(ofVP8 bytes: Span<UInt8>) -> CodedPicture.Role? {
        guard !bytes.isEmpty, bytes[0] >> 4 & 1 == 1 else { return nil }
        return bytes[0] & 1 == 0 ? .entry : .dependent
    }

    /// VP9 Bitstream Specification 0.6, 6.2 and annex B. - Returns: nil for a frame that is not shown.
    static func role(ofVP9 bytes: Span<UInt8>) -> CodedPicture.Role? {
        guard !bytes.isEmpty else { return nil }
        var reader = BitReader([bytes[0], bytes.count > 1 ? bytes[1] : 0])
        _ = reader.bits(2)
        let (low, high) = (reader.bit(), reader.bit())
        if low, high { _ = reader.bit() }
        // It shows a picture that was decoded before.
        if reader.bit() { return .dependent }
        let isKey = !reader.bit()
        let isShown = reader.bit()
        // Of a superframe, the last frame is the one that is shown.
        guard isShown || isSuperframe(bytes) else { return nil }
        return isKey ? .entry : .dependent
    }

    /// Returns whether a VP9 packet ends with an index of several frames, whose first and last bytes are equal and state its size.
    static func isSuperframe(_ bytes: Span<UInt8>) -> Bool {
        guard let marker = bytes.isEmpty ? nil : bytes[bytes.count - 1], marker & 0xE0 == 0xC0 else { return false }
        let indexSize = 2 + (Int(marker & 7) + 1) * (Int(marker >> 3 & 3) + 1)
        return bytes.count >= indexSize && bytes[bytes.count - indexSize] == marker
    }

    /// The frames of a VP9 packet: those of a superframe, or the packet itself.
    static func frames(of packet: [UInt8]) -> [[UInt8]] {
        guard isSuperframe(packet.span), let marker = packet.last else { return [packet] }
        let (count, width) = (Int(marker & 7) + 1, Int(marker >> 3 & 3) + 1)
        let index = packet.count - 2 - count * width
        var frames: [[UInt8]] = [], start = 0
        for number in 0..<count {
            let place = index + 1 + number * width
            let size = (0..<width).reduce(0) { $0 | Int(packet[place + $1]) << ($1 * 8) }
            guard size <= index - start else { return [packet] }
            if size > 0 { frames.append(Array(packet[start..<start + size])) }
            start += size
        }
        return frames
    }

    /// Joins VP9 frames into one packet (annex B.3).
    ///
    /// - Parameter frames: two to eight.
    static func superframe(of frames: [[UInt8]]) -> [UInt8] {
        let largest = frames.map(\.count).max() ?? 0
        let width = max(1, (Int.bitWidth - largest.leadingZeroBitCount + 7) / 8)
        let marker = 0xC0 | UInt8(width - 1) << 3 | UInt8(frames.count - 1)
        let sizes = frames.flatMap { frame in (0..<width).map { UInt8(truncatingIfNeeded: frame.count >> ($0 * 8)) } }
        return frames.flatMap(\.self) + [marker] + sizes + [marker]
    }
}
