/// The properties of the pictures in an AV1 packet, read without decoding. A packet is a temporal unit: pictures that
/// are kept as references, and one picture that is shown.
struct AV1Packet {
    /// The role of the shown picture; `nil` if the packet does not show exactly one picture, or shows it in several
    /// sizes.
    private(set) var role: CodedPicture.Role?
    /// The content of the packet's sequence header; `nil` if it has none. Packets of key frames have one. The sequence
    /// header in the container may differ and is ignored: SVT-AV1 writes it before all its settings are final.
    private(set) var sequenceHeader: [UInt8]?
    /// True if the packet has metadata of its picture alone, such as captions or HDR10+.
    private(set) var hasMessages = false
    /// True if the packet has frames, but shows none.
    private(set) var isHidden = false

    /// The type of metadata that ITU-T T.35 registers (6.7.1).
    private static let registered: UInt8 = 4

    init(_ bytes: Span<UInt8>) {
        var shown = 0, count = 0, isEntry = false, hasLayers = false, isStill = false
        for unit in AV1Unit.units(in: bytes) {
            hasLayers = hasLayers || unit.spatialLayer > 0
            switch unit.kind {
            case .sequenceHeader:
                sequenceHeader = bytes.copied(unit.content)
                // 5.5.1: seq_profile, still_picture, reduced_still_picture_header.
                isStill = sequenceHeader?.first.map { $0 & 0x08 != 0 } ?? false
            case .frame, .frameHeader:
                guard !unit.content.isEmpty else { continue }
                // 5.9.2: show_existing_frame, frame_type, show_frame. A still picture's header has none of these
                // fields, so the values read here are arbitrary. That is harmless, because the result is decoded and
                // checked.
                var reader = BitReader([bytes[unit.content.lowerBound]])
                let showsKnown = reader.bit(), isKey = reader.bits(2) == 0, isShown = reader.bit()
                if showsKnown || isShown { shown += 1 }
                // A key frame that is shown later is no entry, since pictures in between may refer to pictures before
                // the key frame.
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

    /// Returns the content of the sequence header in a stream's configuration; nil if there is none. The configuration is
    /// a record of four bytes with units (AV1 Codec ISO Media File Format Binding, 2.3), or units alone.
    static func sequenceHeader(ofConfiguration bytes: [UInt8]) -> [UInt8]? {
        AV1Packet(Array(bytes.dropFirst(bytes.first == 0x81 ? 4 : 0)).span).sequenceHeader
    }

    /// Returns a packet with a sequence header before its first frame.
    static func adding(sequenceHeader: [UInt8], to packet: [UInt8]) -> [UInt8] {
        let delimiter = AV1Unit.units(in: packet.span).first { $0.kind == .temporalDelimiter }?.whole.upperBound ?? 0
        let kind = AV1Unit.Kind.sequenceHeader.rawValue
        let unit = [kind << 3 | 2] + AV1Unit.encoded(sequenceHeader.count) + sequenceHeader
        return packet[..<delimiter] + unit + packet[delimiter...]
    }

    /// Joins packets into one temporal unit with at most one delimiter. Each unit's header then states its size.
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

/// A unit of an AV1 stream: an open bitstream unit, OBU (AV1 Bitstream & Decoding Process Specification, 5.3).
struct AV1Unit {
    enum Kind: UInt8 {
        case sequenceHeader = 1, temporalDelimiter, frameHeader, tileGroup, metadata, frame
    }

    /// The kind of the unit; `nil` for units that decoders ignore.
    let kind: Kind?
    /// The spatial layer that the unit belongs to.
    let spatialLayer: UInt8
    /// The ranges of the whole unit, and of its content after header and size, in the bytes that were parsed.
    let whole: Range<Int>, content: Range<Int>

    /// Returns the units of a packet, or of a stream's header. Damaged data ends the list.
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
                guard let stated = number(in: bytes, &place), stated <= bytes.count - place else { break }
                size = stated
            }
            found.append(
                AV1Unit(
                    kind: Kind(rawValue: header >> 3 & 0xF), spatialLayer: layer, whole: start..<place + size,
                    content: place..<place + size))
            place += size
        }
        return found
    }

    /// Encodes a number as ``number(in:_:)`` reads it.
    static func encoded(_ number: Int) -> [UInt8] {
        var rest = number
        var bytes: [UInt8] = []
        repeat {
            bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return bytes
    }

    /// Reads a number of type `leb128()`, with seven bits in each byte (4.10.5).
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
