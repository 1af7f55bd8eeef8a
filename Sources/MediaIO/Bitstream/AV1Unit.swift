/// A unit of an AV1 stream, in AV1's words an open bitstream unit (AV1 Bitstream & Decoding Process Specification, 5.3).
struct AV1Unit {
    enum Kind: UInt8 {
        case sequenceHeader = 1, temporalDelimiter, frameHeader, tileGroup, metadata, frame
    }

    /// `nil` for what a decoder passes over.
    let kind: Kind?
    /// Which of several sizes of one picture it belongs to.
    let spatialLayer: UInt8
    /// The whole of it, and what comes after its header and size, in the bytes that were searched.
    let whole: Range<Int>, content: Range<Int>

    /// The units of a packet, or of a stream's header. What is damaged ends them.
    static func units(in bytes: Span<UInt8>) -> [AV1Unit] {
        var found: [AV1Unit] = []
        var place = 0
        while place < bytes.count {
            let start = place, header = bytes[place]
            place += 1
            // The first bit is forbidden.
            guard header & 0x80 == 0 else { break }
            var layer: UInt8 = 0
            if header & 4 != 0 {
                guard place < bytes.count else { break }
                layer = bytes[place] >> 3 & 3
                place += 1
            }
            var size = bytes.count - place
            if header & 2 != 0 {
                guard let told = number(in: bytes, &place), told <= bytes.count - place else { break }
                size = told
            }
            found.append(
                AV1Unit(
                    kind: Kind(rawValue: header >> 3 & 0xF), spatialLayer: layer, whole: start..<place + size,
                    content: place..<place + size))
            place += size
        }
        return found
    }

    /// A number as ``number(in:_:)`` reads it.
    static func encoded(_ number: Int) -> [UInt8] {
        var rest = number
        var bytes: [UInt8] = []
        repeat {
            bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return bytes
    }

    /// `leb128()`, a number of seven bits a byte (4.10.5).
    private static func number(in bytes: Span<UInt8>, _ place: inout Int) -> Int? {
        var value = 0
        for shift in stride(from: 0, to: 56, by: 7) {
            guard place < bytes.count else { return nil }
            let byte = bytes[place]
            place += 1
            value |= Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
