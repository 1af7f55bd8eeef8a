/// What a packet of AV1 says of its pictures. A packet is a temporal unit: some pictures that are kept for later ones, and the
/// one that is shown.
struct AV1Packet {
    /// `nil` where it does not show exactly one picture, or shows it in several sizes.
    private(set) var role: CodedPicture.Role?
    /// What its sequence header says, if it has one: every key frame does. That of the stream's header may be another one, and
    /// counts for nothing then (SVT-AV1 writes it before it has settled all).
    private(set) var sequenceHeader: [UInt8]?
    /// Whether it says something of its picture that holds for that alone, such as captions or HDR10+.
    private(set) var hasMessages = false
    /// A Boolean value that indicates whether it has frames, but shows none.
    private(set) var isHidden = false

    /// The type of metadata that ITU-T T.35 registers (6.7.1).
    private static let registered: UInt8 = 4

    init(_ bytes: Span<UInt8>) {
        var shown = 0, count = 0, isEntry = false, hasLayers = false, isStill = false
        for unit in AV1Unit.units(in: bytes) {
            hasLayers = hasLayers || unit.spatialLayer > 0
            switch unit.kind {
            case .sequenceHeader:
                sequenceHeader = bytes.copy(unit.content)
                // 5.5.1: seq_profile, still_picture, reduced_still_picture_header.
                isStill = sequenceHeader?.first.map { $0 & 0x08 != 0 } ?? false
            case .frame, .frameHeader:
                guard !unit.content.isEmpty else { continue }
                // 5.9.2: show_existing_frame, frame_type, show_frame. A still picture's header has none of them; such
                // packets are taken for whatever they say, and the decoder is asked whether the result is right.
                var reader = BitReader([bytes[unit.content.lowerBound]])
                let showsKnown = reader.bit(), isKey = reader.bits(2) == 0, isShown = reader.bit()
                if showsKnown || isShown { shown += 1 }
                // Where the key frame is shown later, pictures in between may refer to what was before it.
                if count == 0 { isEntry = !showsKnown && isKey && isShown }
                count += 1
            case .metadata:
                if !unit.content.isEmpty, bytes[unit.content.lowerBound] == Self.registered { hasMessages = true }
            default: break
            }
        }
        isHidden = count > 0 && shown == 0 && !isStill
        if shown == 1, !hasLayers { role = isEntry ? .entry : .dependent }
    }

    /// Joins packets into one temporal unit: with one delimiter at most, and the size of each unit in its header.
    static func joined(_ packets: [[UInt8]]) -> [UInt8] {
        var result: [UInt8] = []
        for packet in packets {
            for unit in AV1Unit.units(in: packet.span) where unit.kind != .temporalDelimiter || result.isEmpty {
                let header = packet[unit.whole.lowerBound]
                result.append(header | 2)
                if header & 4 != 0 { result.append(packet[unit.whole.lowerBound + 1]) }
                result += AV1Unit.encoded(unit.content.count)
                result += packet[unit.content]
            }
        }
        return result
    }
}

extension Span<UInt8> {
    fileprivate func copy(_ range: Range<Int>) -> [UInt8] { range.map { self[$0] } }
}

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
