/// What kinds of units H.264 and HEVC streams are made of (ITU-T H.264, table 7-1; H.265, table 7-1).
enum NALUnit {
    enum Kind: Sendable, Hashable {
        /// A slice of a picture in which decoding may begin.
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

    /// - Parameter header: the unit's first byte.
    static func kind(ofHeader header: UInt8, isHEVC: Bool) -> Kind {
        if isHEVC {
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
        } else {
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

    /// How many bytes a unit's header has.
    static func headerSize(isHEVC: Bool) -> Int { isHEVC ? 2 : 1 }

    /// Takes out the bytes that keep start codes from appearing in the content (7.4.1.1 and 7.4.2.1).
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

    /// Puts them in again.
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
