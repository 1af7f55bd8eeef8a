/// Gives the parameter sets of an HEVC stream other ids.
///
/// libx265 numbers all of its sets 0, as most other streams do, so that what it coded cannot stand beside the
/// source's pictures. The id of a picture's set is an Exp-Golomb code in each slice: of 1 bit for 0, of 9 bits for
/// 15…30. So with such an id all that follows moves by whole bytes, and nothing else has to be understood.
/// (ITU-T H.265, 7.3.2.1–7.3.2.3 and 7.3.6.1.)
enum HEVCSetIDs {
    /// What the video's and the sequence's sets are numbered.
    static let sequence = 15
    /// What the picture's may be numbered.
    static let pictures = 15...30

    /// A unit of libx265's stream with the new ids; units that bear none stay as they are.
    ///
    /// - Parameter picture: one of ``pictures``.
    static func renumbered(_ unit: [UInt8], picture: Int) -> [UInt8] {
        guard unit.count > 2 else { return unit }
        let kind = NALUnit.kind(ofHeader: unit[0], isHEVC: true)
        let type = unit[0] >> 1 & 0x3F
        var content = BitString(NALUnit.unescaped(unit[2...]))
        switch kind {
        case .parameterSet(.video): content.replace(at: 0, count: 4, by: UInt32(sequence), width: 4)
        case .parameterSet(.sequence):
            content.replace(at: 0, count: 4, by: UInt32(sequence), width: 4)
            var reader = BitReader(content.bytes)
            _ = reader.bits(4)
            let subLayers = reader.bits(3)
            // Without sub-layers, the profile and the level take 96 bits.
            guard subLayers == 0 else { return unit }
            content.renumber(at: 8 + 96, to: sequence)
        case .parameterSet(.picture):
            content.renumber(at: 0, to: picture)
            content.renumber(at: 9, to: sequence)
        case .entry, .openEntry, .skippedLeading, .slice:
            // Pictures in which decoding may begin say whether those before are shown still.
            content.renumber(at: (16...23).contains(type) ? 2 : 1, to: picture)
        case .sei, .other: return unit
        }
        return Array(unit[..<2]) + NALUnit.escaped(content.bytes)
    }
}

/// Bits in which some can be replaced by others.
private struct BitString {
    private(set) var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Replaces the Exp-Golomb code of 0 by that of a number in 15…30, which is a byte longer.
    mutating func renumber(at place: Int, to id: Int) {
        precondition(HEVCSetIDs.pictures.contains(id))
        replace(at: place, count: 1, by: UInt32(id + 1), width: 9)
    }

    /// Replaces bits by as many others, or by eight more.
    mutating func replace(at place: Int, count: Int, by value: UInt32, width: Int) {
        if width > count {
            // What follows moves by a byte: the bits of the byte at the place are there twice, and overwritten below.
            precondition(width == count + 8)
            bytes.insert(place / 8 < bytes.count ? bytes[place / 8] : 0, at: place / 8)
        }
        for bit in 0..<width {
            let (index, shift) = ((place + bit) / 8, UInt8(7 - (place + bit) % 8))
            guard index < bytes.count else { return }
            let isSet = value >> UInt32(width - 1 - bit) & 1 == 1
            bytes[index] = bytes[index] & ~(1 << shift) | (isSet ? 1 << shift : 0)
        }
    }
}
