import Foundation

/// An IVF file: a header of 32 bytes, then frames, each with its size and time.
struct IVFFile {
    private let header: Data
    /// The content of each packet, in the order of decoding.
    private(set) var packets: [(time: UInt64, bytes: [UInt8])] = []

    init(_ data: Data) {
        let bytes = [UInt8](data)
        header = Data(bytes.prefix(32))
        var place = 32
        while place + 12 <= bytes.count {
            let size = Self.number(bytes[place..<place + 4])
            let time = Self.number(bytes[place + 4..<place + 12])
            packets.append((UInt64(time), Array(bytes[place + 12..<place + 12 + size])))
            place += 12 + size
        }
    }

    /// The file with hidden frames in packets of their own, each shortly before the frame that is shown after it.
    ///
    /// - Parameter split: returns the frames of a packet; the last one is shown.
    func splitting(_ split: ([UInt8]) -> [[UInt8]]) -> Data {
        var result = header
        // Time base: a tenth of what it was.
        let rate = Self.number([UInt8](header)[16..<20])
        result.replaceSubrange(16..<20, with: Self.bytes(UInt64(rate * 10), 4))
        for packet in packets {
            let frames = split(packet.bytes)
            for (index, frame) in frames.enumerated() {
                let early = UInt64(frames.count - 1 - index)
                result += Self.bytes(UInt64(frame.count), 4) + Self.bytes(packet.time * 10 - min(early, packet.time), 8)
                result += frame
            }
        }
        return result
    }

    /// The frames of a VP9 superframe (VP9 Bitstream Specification, annex B).
    static func vp9Frames(_ packet: [UInt8]) -> [[UInt8]] {
        guard let marker = packet.last, marker & 0xE0 == 0xC0 else { return [packet] }
        let width = Int(marker >> 3 & 3) + 1, count = Int(marker & 7) + 1
        var place = 0
        let index = packet.count - 1 - width * count
        return (0..<count).map { number in
            let size = Self.number(packet[index + number * width..<index + (number + 1) * width])
            defer { place += size }
            return Array(packet[place..<place + size])
        }
    }

    /// The frames of an AV1 temporal unit in which each unit has a size: each ends with a frame, or its tiles.
    static func av1Frames(_ packet: [UInt8]) -> [[UInt8]] {
        var frames: [[UInt8]] = [[]]
        var place = 0
        while place < packet.count {
            let start = place, kind = packet[place] >> 3 & 15, isExtended = packet[place] & 4 != 0
            place += isExtended ? 2 : 1
            var size = 0, shift = 0
            repeat {
                size |= Int(packet[place] & 0x7F) << shift
                shift += 7
                place += 1
            } while packet[place - 1] & 0x80 != 0
            // A frame header (3) that shows a known frame has no tiles.
            let isLast = kind == 6 || kind == 4 || kind == 3 && packet[place] & 0x80 != 0
            place += size
            frames[frames.count - 1] += packet[start..<place]
            if isLast, place < packet.count { frames.append([]) }
        }
        return frames
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }

    private static func bytes(_ number: UInt64, _ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    }
}
