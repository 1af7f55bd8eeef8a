/// The properties of a coded picture of MPEG-2 (ITU-T H.262) or MPEG-4 Visual (ISO/IEC 14496-2), read from its packet
/// without decoding.
struct MPEGPicture {
    enum Kind: UInt8 {
        case intra, predicted, bidirectional, other
    }

    /// The kind of the picture, or of its first field; `nil` if the packet does not have exactly one picture.
    private(set) var kind: Kind?
    /// True if no picture that is shown before this one refers to an earlier group of pictures.
    private(set) var isClosed = false
    /// The headers before the picture that apply to all pictures after them; `nil` if there are none.
    private(set) var header: [UInt8]?

    /// - Parameter isMPEG2: Whether the picture is of MPEG-2, otherwise of MPEG-4 Visual.
    init(_ bytes: Span<UInt8>, isMPEG2: Bool) {
        var begin: Int?, end: Int?
        var pictures = 0, fields = 0
        NALFraming.startCodes.forEachUnit(in: bytes) { unit in
            // The part of a unit from its start code on.
            let place = unit.lowerBound
            func byte(_ offset: Int) -> UInt8 { place + offset < unit.upperBound ? bytes[place + offset] : 0 }
            switch (byte(0), isMPEG2) {
            case (0xB3, true), (0xB0, false), (0...0x2F, false):
                if begin == nil, pictures == 0 { begin = place - 3 }
            case (0xB8, true), (0xB3, false):
                if end == nil { end = place - 3 }
                // The time code has 25 and 18 bits.
                isClosed = isMPEG2 ? byte(4) & 0x40 != 0 : byte(3) & 0x20 != 0
            case (0, true), (0xB6, false):
                if end == nil { end = place - 3 }
                pictures += 1
                if pictures == 1 { kind = isMPEG2 ? Self.kind(ofMPEG2: byte(2)) : Kind(rawValue: byte(1) >> 6) }
            case (0xB5, true) where byte(1) >> 4 == 8 && byte(3) & 3 != 3:
                fields += 1
            default: break
            }
        }
        if let begin { header = bytes.copied(begin..<(end ?? bytes.count)) }
        if pictures != 1, pictures != 2 || fields != 2 { kind = nil }
    }

    /// Returns the kind that the second byte of a picture header states: 1 to 3, after the last bits of
    /// `temporal_reference`.
    private static func kind(ofMPEG2 byte: UInt8) -> Kind {
        let type = byte >> 3 & 7
        return type > 0 ? Kind(rawValue: type - 1) ?? .other : .other
    }
}
