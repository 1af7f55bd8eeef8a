import Platform

/// A packet of an MPEG transport stream (ISO/IEC 13818-1, 2.4.3).
struct TransportPacket {
    /// The number of its stream in the file (PID).
    let stream: Int
    /// A Boolean value that indicates whether a PES packet or a table begins in it.
    let isStart: Bool
    /// A Boolean value that indicates whether a receiver detected bit errors (`transport_error_indicator`).
    let hasError: Bool
    let hasContent: Bool
    /// The number of the stream's packets with content so far, modulo 16.
    let counter: UInt8
    /// A Boolean value that indicates whether counters and clock are discontinuous (`discontinuity_indicator`).
    let isDiscontinuity: Bool
    /// A Boolean value that indicates whether decoding can begin with it (`random_access_indicator`).
    let isRandomAccess: Bool
    /// A Boolean value that indicates stuffing, as in the last packet of a PES packet.
    let isStuffed: Bool
    /// The offset of its payload.
    private let contentStart: Int

    static let size = 188
    static let syncByte: UInt8 = 0x47
    /// The stream of the program association table, which lists all other tables.
    static let programList = 0
    static let emptyStream = 0x1FFF

    /// - Parameter bytes: The 188 bytes of a packet.
    /// - Returns: `nil` if they are not a packet.
    init?(_ bytes: ArraySlice<UInt8>) {
        let start = bytes.startIndex
        guard bytes.count == Self.size, bytes[start] == Self.syncByte else { return nil }
        hasError = bytes[start + 1] & 0x80 != 0
        isStart = bytes[start + 1] & 0x40 != 0
        stream = Int(bytes[start + 1] & 0x1F) << 8 | Int(bytes[start + 2])
        counter = bytes[start + 3] & 15
        hasContent = bytes[start + 3] & 0x10 != 0
        let length = bytes[start + 3] & 0x20 != 0 ? Int(bytes[start + 4]) : nil
        let flags = (length ?? 0) > 0 ? bytes[start + 5] : 0
        isDiscontinuity = flags & 0x80 != 0
        isRandomAccess = flags & 0x40 != 0
        // The fields that the flags announce: two clocks of six bytes, a counter, private data, and an extension.
        var needed = 1 + (flags & 0x10 != 0 ? 6 : 0) + (flags & 0x08 != 0 ? 6 : 0) + (flags & 0x04 != 0 ? 1 : 0)
        for flag in [0x02, 0x01] as [UInt8] where flags & flag != 0 && needed + 5 < Self.size {
            needed += 1 + Int(bytes[start + 5 + needed])
        }
        isStuffed = length.map { $0 == 0 || $0 > needed } ?? false
        contentStart = min(4 + (length.map { $0 + 1 } ?? 0), Self.size)
    }

    /// The number of payload bytes.
    var contentSize: Int { hasContent ? Self.size - contentStart : 0 }

    /// Returns the size and the decoding time, in ticks of 90 kHz, of a PES packet that begins in this packet. Values
    /// that the header does not state are nil.
    func header(_ bytes: ArraySlice<UInt8>) -> (size: Int?, time: Int64?)? {
        let start = bytes.startIndex + contentStart
        guard isStart, contentSize >= 19, bytes[start] == 0, bytes[start + 1] == 0, bytes[start + 2] == 1 else {
            return nil
        }
        let size = Int(bytes[start + 4]) << 8 | Int(bytes[start + 5])
        // The presentation time is followed by the decoding time if they differ.
        let place: Int? =
            switch bytes[start + 7] >> 6 {
            case 2: start + 9
            case 3: start + 14
            default: nil
            }
        let time = place.map { place in
            let fields = bytes[place..<place + 5].map(Int64.init)
            let high = (fields[0] >> 1 & 7) << 30, middle = fields[1] << 22 | (fields[2] >> 1) << 15
            return high | middle | fields[3] << 7 | fields[4] >> 1
        }
        return (size == 0 ? nil : size + 6, time)
    }
}
