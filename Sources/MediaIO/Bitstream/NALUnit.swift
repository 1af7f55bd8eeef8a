/// A codec whose streams consist of NAL units. The raw values are FFmpeg's names.
package enum NALCodec: String, Sendable, Hashable {
    case h264, hevc
}

/// The kinds of units of H.264 and HEVC streams (ITU-T H.264, table 7-1; H.265, table 7-1).
enum NALUnit {
    enum Kind: Sendable, Hashable {
        /// A slice of a picture at which decoding can begin.
        case entry
        /// A slice of an HEVC CRA or BLA picture.
        case openEntry
        /// A slice of an HEVC RASL picture.
        case skippedLeading
        /// A slice of any other picture.
        case slice
        case parameterSet(ParameterSet.Kind)
        /// Supplemental enhancement information.
        case sei
        case other

        var isSlice: Bool {
            switch self {
            case .entry, .openEntry, .skippedLeading, .slice: true
            default: false
            }
        }
    }

    /// Returns the kind of a unit.
    ///
    /// - Parameter header: The unit's first byte.
    static func kind(ofHeader header: UInt8, codec: NALCodec) -> Kind {
        switch codec {
        case .hevc:
            switch header >> 1 & 0x3F {
            case 19, 20: .entry
            case 16, 17, 18, 21: .openEntry
            case 8, 9: .skippedLeading
            case 0...15: .slice
            case 32: .parameterSet(.video)
            case 33: .parameterSet(.sequence)
            case 34: .parameterSet(.picture)
            case 39, 40: .sei
            default: .other
            }
        case .h264:
            switch header & 0x1F {
            case 5: .entry
            case 1...4: .slice
            case 6: .sei
            case 7: .parameterSet(.sequence)
            case 8: .parameterSet(.picture)
            default: .other
            }
        }
    }

    /// Returns whether a unit is an access unit delimiter.
    ///
    /// - Parameter header: The unit's first byte.
    static func isDelimiter(_ header: UInt8, codec: NALCodec) -> Bool {
        codec == .hevc ? header >> 1 & 0x3F == 35 : header & 0x1F == 9
    }

    /// Returns the number of bytes of a unit's header.
    static func headerSize(codec: NALCodec) -> Int { codec == .hevc ? 2 : 1 }

    /// Removes the emulation prevention bytes, which keep start codes from appearing in the content (7.4.1.1 and
    /// 7.4.2.1).
    static func unescaped(_ unit: ArraySlice<UInt8>) -> [UInt8] {
        var plain: [UInt8] = []
        plain.reserveCapacity(unit.count)
        var zeros = 0
        for byte in unit {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            plain.append(byte)
        }
        return plain
    }

    /// Inserts the emulation prevention bytes.
    static func escaped(_ plain: [UInt8]) -> [UInt8] {
        var unit: [UInt8] = []
        unit.reserveCapacity(plain.count + 16)
        var zeros = 0
        for byte in plain {
            if zeros >= 2, byte <= 3 {
                unit.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros + 1 : 0
            unit.append(byte)
        }
        return unit
    }
}

/// The separation of H.264 and HEVC units within a packet.
package enum NALFraming: Sendable, Hashable {
    /// Start codes (Annex B), as in MPEG-TS.
    case startCodes
    /// A length of this many bytes before each unit, as in MP4 and Matroska.
    case lengths(Int)

    /// Reads the framing from a stream's configuration record (ISO/IEC 14496-15, 5.2.4.1 and 8.3.3.1). Without a record
    /// it is Annex B.
    init(configuration: [UInt8], codec: NALCodec) {
        let place = codec == .hevc ? 21 : 4
        guard configuration.first == 1, configuration.count > place else {
            self = .startCodes
            return
        }
        self = .lengths(Int(configuration[place] & 3) + 1)
    }

    /// Returns the units of a packet, without start codes and lengths. Truncated or invalid data ends the list.
    func units(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var units: [ArraySlice<UInt8>] = []
        forEachUnit(in: bytes.span) { units.append(bytes[$0]) }
        return units
    }

    /// Calls a closure with the range of each unit of a packet, without start code or length.
    func forEachUnit(in bytes: Span<UInt8>, _ body: (Range<Int>) -> Void) {
        switch self {
        case .startCodes: Self.forEachAfterStartCodes(bytes, body)
        case .lengths(let size):
            var place = 0
            while place + size <= bytes.count {
                var length = 0
                for i in place..<place + size { length = length << 8 | Int(bytes[i]) }
                place += size
                guard length > 0, length <= bytes.count - place else { return }
                body(place..<place + length)
                place += length
            }
        }
    }

    private static func forEachAfterStartCodes(_ bytes: Span<UInt8>, _ body: (Range<Int>) -> Void) {
        var start: Int?
        var place = 0
        while place + 2 < bytes.count {
            // Most bytes are above 1. If the third byte is above 1, no start code begins at any of the three.
            if bytes[place + 2] > 1 {
                place += 3
                continue
            }
            guard bytes[place] == 0, bytes[place + 1] == 0, bytes[place + 2] == 1 else {
                place += 1
                continue
            }
            if let start, start < place { body(start..<place) }
            place += 3
            start = place
        }
        if let start, start < bytes.count { body(start..<bytes.count) }
    }

    /// Joins units into one packet.
    func joined(_ units: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(units.reduce(0) { $0 + $1.count + 4 })
        for unit in units {
            switch self {
            case .startCodes: bytes += [0, 0, 0, 1]
            case .lengths(let size):
                for place in (0..<size).reversed() {
                    bytes.append(UInt8(truncatingIfNeeded: unit.count >> (place * 8)))
                }
            }
            bytes += unit
        }
        return bytes
    }
}

/// Reads the bits of a NAL unit's content, most significant first (ITU-T H.264 and H.265, 7.2 and 9.1/9.2).
///
/// All bits after the end are 0.
struct BitReader {
    private let bytes: [UInt8]
    private(set) var position = 0

    /// - Parameter bytes: The content without emulation prevention bytes: see ``NALUnit/unescaped(_:)``.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count * 8 }

    mutating func bit() -> Bool {
        defer { position += 1 }
        guard position < bytes.count * 8 else { return false }
        return bytes[position / 8] >> (7 - position % 8) & 1 == 1
    }

    /// Reads `u(n)`, of up to 32 bits.
    mutating func bits(_ count: Int) -> UInt32 {
        (0..<count).reduce(0) { value, _ in value << 1 | (bit() ? 1 : 0) }
    }

    /// Reads `ue(v)`, an Exp-Golomb code.
    mutating func unsigned() -> UInt32 {
        var zeros = 0
        while !bit() {
            zeros += 1
            if zeros > 31 { return .max }
        }
        return (1 << UInt32(zeros)) - 1 + bits(zeros)
    }

    /// Skips Exp-Golomb codes, signed or not.
    mutating func skipCodes(_ count: Int) {
        for _ in 0..<count { _ = unsigned() }
    }

    /// Reads `se(v)`, a signed Exp-Golomb code.
    mutating func signed() -> Int32 {
        let code = Int64(unsigned())
        return Int32(truncatingIfNeeded: code & 1 == 1 ? (code + 1) / 2 : -(code / 2))
    }
}

extension Span<UInt8> {
    func copied(_ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        for i in range { bytes.append(self[i]) }
        return bytes
    }
}
