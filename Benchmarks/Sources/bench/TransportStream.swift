import Foundation

/// Where the pictures of an MPEG transport stream begin, as far as measuring needs it.
struct TransportStream {
    static let packetSize = 188

    /// The bytes that are not a whole packet yet.
    private var rest: [UInt8] = []
    /// Packets since the start.
    private(set) var packetCount = 0

    /// Takes bytes as they come.
    /// - Returns: the number of each packet in which a picture begins, counted from the start.
    mutating func add(_ bytes: [UInt8]) -> [Int] {
        rest += bytes
        var starts: [Int] = []
        var place = 0
        while place + Self.packetSize <= rest.count {
            if Self.beginsPicture(rest[place..<place + Self.packetSize]) { starts.append(packetCount) }
            packetCount += 1
            place += Self.packetSize
        }
        rest.removeFirst(place)
        return starts
    }

    /// Whether a packet begins a PES packet of a video stream (ISO/IEC 13818-1, 2.4.3).
    private static func beginsPicture(_ packet: ArraySlice<UInt8>) -> Bool {
        let bytes = Array(packet)
        guard bytes[0] == 0x47, bytes[1] & 0x40 != 0, bytes[3] & 0x10 != 0 else { return false }
        let start = bytes[3] & 0x20 != 0 ? 5 + Int(bytes[4]) : 4
        guard start + 3 < bytes.count else { return false }
        return bytes[start] == 0 && bytes[start + 1] == 0 && bytes[start + 2] == 1 && bytes[start + 3] & 0xF0 == 0xE0
    }
}
