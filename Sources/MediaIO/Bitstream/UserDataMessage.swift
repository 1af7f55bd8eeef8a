/// Messages that travel inside a video: "user data unregistered" SEI messages (ITU-T H.264 and H.265,
/// D.2.7), which every player ignores that does not know their UUID.
package enum UserDataMessage {
    /// SEI payload type of user data that bear a UUID.
    private static let unregistered = 5

    /// The messages with a UUID in a packet of a stream.
    ///
    /// - Parameter uuid: 16 bytes.
    package static func messages(
        in packet: borrowing Packet, framing: NALFraming, isHEVC: Bool, uuid: [UInt8]
    ) -> [[UInt8]] {
        messages(in: packet.bytes, framing: framing, isHEVC: isHEVC, uuid: uuid)
    }

    package static func messages(
        in bytes: [UInt8], framing: NALFraming, isHEVC: Bool, uuid: [UInt8]
    ) -> [[UInt8]] {
        framing.units(of: bytes).filter { isSEI($0, isHEVC: isHEVC) }
            .flatMap { payloads(of: NALUnit.unescaped($0.dropFirst(isHEVC ? 2 : 1))) }
            .compactMap { type, payload in
                guard type == unregistered else { return nil }
                let message = payload.starts(with: x265) ? payload.dropFirst(x265.count) : payload
                return message.starts(with: uuid) ? Array(message.dropFirst(uuid.count)) : nil
            }
    }

    /// libx265 writes this UUID before whatever it is given, which then begins with its own.
    /// (`SEIuserDataUnregistered::m_uuid_iso_iec_11578` in x265's `sei.h`.)
    private static let x265: [UInt8] = [
        0x2C, 0xA2, 0xDE, 0x09, 0xB5, 0x17, 0x47, 0xDB,
        0xBB, 0x55, 0xA4, 0xFE, 0x7F, 0xC2, 0xFC, 0x4E,
    ]

    /// H.264: type 6; HEVC: 39 and 40, before and after the picture.
    private static func isSEI(_ unit: ArraySlice<UInt8>, isHEVC: Bool) -> Bool {
        guard let header = unit.first else { return false }
        return isHEVC ? header >> 1 & 0x3F == 39 || header >> 1 & 0x3F == 40 : header & 0x1F == 6
    }

    private static func payloads(of bytes: [UInt8]) -> [(type: Int, payload: ArraySlice<UInt8>)] {
        var payloads: [(type: Int, payload: ArraySlice<UInt8>)] = []
        var place = 0
        /// A number whose bytes of 255 go on with the next one.
        func number() -> Int? {
            var value = 0
            while place < bytes.count {
                let byte = bytes[place]
                place += 1
                value += Int(byte)
                if byte != 255 { return value }
            }
            return nil
        }
        // The last byte is the trailing bits.
        while place + 2 < bytes.count, let type = number(), let size = number() {
            guard size <= bytes.count - place else { break }
            payloads.append((type, bytes[place..<place + size]))
            place += size
        }
        return payloads
    }
}
