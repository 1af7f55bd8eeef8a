import Platform

/// Parses the first bits of VP8 and VP9 frames.
enum VPXHeader {
    /// Returns the role of a VP8 frame (RFC 6386, 9.1); nil if the frame is not shown.
    static func role(ofVP8 bytes: Span<UInt8>) -> CodedPicture.Role? {
        guard !bytes.isEmpty, bytes[0] >> 4 & 1 == 1 else { return nil }
        return bytes[0] & 1 == 0 ? .entry : .dependent
    }

    /// Returns the role of a VP9 frame (VP9 Bitstream Specification 0.6, 6.2 and annex B); nil if the frame is not
    /// shown.
    static func role(ofVP9 bytes: Span<UInt8>) -> CodedPicture.Role? {
        guard !bytes.isEmpty else { return nil }
        var reader = BitReader([bytes[0], bytes.count > 1 ? bytes[1] : 0])
        _ = reader.bits(2)
        let (low, high) = (reader.bit(), reader.bit())
        if low, high { _ = reader.bit() }
        // The frame shows a picture that was decoded before.
        if reader.bit() { return .dependent }
        let isKey = !reader.bit()
        let isShown = reader.bit()
        // The last frame of a superframe is the shown one.
        guard isShown || isSuperframe(bytes) else { return nil }
        return isKey ? .entry : .dependent
    }

    /// Returns whether a VP9 packet ends with an index of several frames. The first and last bytes of the index are
    /// equal and state its size.
    static func isSuperframe(_ bytes: Span<UInt8>) -> Bool {
        guard let marker = bytes.isEmpty ? nil : bytes[bytes.count - 1], marker & 0xE0 == 0xC0 else { return false }
        let indexSize = 2 + (Int(marker & 7) + 1) * (Int(marker >> 3 & 3) + 1)
        return bytes.count >= indexSize && bytes[bytes.count - indexSize] == marker
    }

    /// Returns the frames of a VP9 packet: the frames of a superframe, or the packet itself.
    static func frames(of packet: [UInt8]) -> [[UInt8]] {
        guard isSuperframe(packet.span), let marker = packet.last else { return [packet] }
        let (count, width) = (Int(marker & 7) + 1, Int(marker >> 3 & 3) + 1)
        let index = packet.count - 2 - count * width
        var frames: [[UInt8]] = [], start = 0
        for number in 0..<count {
            guard let size = packet.littleEndian(at: index + 1 + number * width, count: width), size <= index - start
            else { return [packet] }
            if size > 0 { frames.append(Array(packet[start..<start + size])) }
            start += size
        }
        return frames
    }

    /// Joins VP9 frames into one packet (annex B.3).
    ///
    /// - Parameter frames: Two to eight frames.
    static func superframe(of frames: [[UInt8]]) -> [UInt8] {
        let largest = frames.map(\.count).max() ?? 0
        let width = max(1, (Int.bitWidth - largest.leadingZeroBitCount + 7) / 8)
        let marker = 0xC0 | UInt8(width - 1) << 3 | UInt8(frames.count - 1)
        let sizes = frames.flatMap { frame in (0..<width).map { UInt8(truncatingIfNeeded: frame.count >> ($0 * 8)) } }
        return frames.flatMap(\.self) + [marker] + sizes + [marker]
    }
}

/// Parses the quantiser in the header of a VP8 frame (RFC 6386, 9.3 to 9.6 and 19.2).
package enum VP8Quantiser {
    /// Returns the base index of a frame's quantisers, 0…127; nil for packets that are too short.
    package static func index(of packet: Span<UInt8>) -> Int? {
        guard packet.count > 3 else { return nil }
        let isKey = packet[0] & 1 == 0
        let start = isKey ? 10 : 3
        guard packet.count > start + 1 else { return nil }
        var reader = BooleanReader(packet, from: start)
        // Colour space and clamping.
        if isKey { _ = reader.number(2, packet) }
        if reader.flag(packet) { skipSegmentation(&reader, packet) }
        // The kind, level and sharpness of the loop filter.
        _ = reader.number(10, packet)
        if reader.flag(packet), reader.flag(packet) {
            for _ in 0..<8 { skipOptional(6, signed: true, &reader, packet) }
        }
        // The number of partitions.
        _ = reader.number(2, packet)
        return reader.number(7, packet)
    }

    private static func skipSegmentation(_ reader: inout BooleanReader, _ packet: Span<UInt8>) {
        let updatesMap = reader.flag(packet)
        if reader.flag(packet) {
            _ = reader.flag(packet)
            for _ in 0..<4 { skipOptional(7, signed: true, &reader, packet) }
            for _ in 0..<4 { skipOptional(6, signed: true, &reader, packet) }
        }
        if updatesMap { for _ in 0..<3 { skipOptional(8, signed: false, &reader, packet) } }
    }

    private static func skipOptional(
        _ bits: Int, signed: Bool, _ reader: inout BooleanReader, _ packet: Span<UInt8>
    ) {
        if reader.flag(packet) { _ = reader.number(bits + (signed ? 1 : 0), packet) }
    }

    /// The quantiser index, 0…127, of each of libvpx's levels, 0…63 (the table `q_trans` of its `vp8_cx_iface.c`).
    private static let levels = [
        0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 13, 15, 17, 18, 19,
        20, 21, 23, 24, 25, 26, 27, 28, 29, 30, 31, 33, 35, 37, 39, 41,
        43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 64, 67, 70, 73, 76, 79,
        82, 85, 88, 91, 94, 97, 100, 103, 106, 109, 112, 115, 118, 121, 124, 127,
    ]

    /// Returns libvpx's coarsest level, 0…63, whose quantiser index is at most `index`.
    package static func level(forIndex index: Double) -> Int {
        max(0, (levels.firstIndex { Double($0) > index } ?? levels.count) - 1)
    }
}

/// The boolean entropy decoder of VP8, with all probabilities fixed at one half (RFC 6386, 7.3). It reads zeros after
/// the end.
private struct BooleanReader {
    private var value: UInt32
    private var range: UInt32 = 255
    private var shifted = 0
    private var next: Int

    init(_ bytes: Span<UInt8>, from start: Int) {
        value = UInt32(bytes[start]) << 8 | UInt32(bytes[start + 1])
        next = start + 2
    }

    mutating func flag(_ bytes: Span<UInt8>) -> Bool {
        let split = 1 + ((range - 1) * 128) >> 8
        let isSet = value >= split << 8
        if isSet {
            range -= split
            value -= split << 8
        } else {
            range = split
        }
        while range < 128 {
            value <<= 1
            range <<= 1
            shifted += 1
            if shifted == 8 {
                shifted = 0
                if next < bytes.count { value |= UInt32(bytes[next]) }
                next += 1
            }
        }
        return isSet
    }

    mutating func number(_ bits: Int, _ bytes: Span<UInt8>) -> Int {
        var result = 0
        for _ in 0..<bits { result = result << 1 | (flag(bytes) ? 1 : 0) }
        return result
    }
}
