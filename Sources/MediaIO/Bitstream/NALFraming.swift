/// How the units of an H.264 or HEVC stream are told apart within a packet.
package enum NALFraming: Sendable, Hashable {
    /// Start codes (Annex B), as in MPEG-TS.
    case startCodes
    /// A length before each unit, of so many bytes, as in MP4 and Matroska.
    case lengths(Int)

    /// What a stream's configuration record says (ISO/IEC 14496-15, 5.2.4.1 and 8.3.3.1); anything else
    /// is Annex B.
    init(configuration: [UInt8], isHEVC: Bool) {
        let place = isHEVC ? 21 : 4
        guard configuration.first == 1, configuration.count > place else {
            self = .startCodes
            return
        }
        self = .lengths(Int(configuration[place] & 3) + 1)
    }

    /// The units of a packet, without start codes and lengths. What is cut off or makes no sense ends the list.
    func units(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var units: [ArraySlice<UInt8>] = []
        forEachUnit(in: bytes.span) { units.append(bytes[$0]) }
        return units
    }

    /// Shows each unit of a packet: where it stands, without start code or length.
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
            // Most bytes are above 1, and three of them are then no start code.
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

    /// The units as one packet.
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
