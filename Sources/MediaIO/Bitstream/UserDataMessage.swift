/// Messages that travel inside a video: "user data unregistered" SEI messages (ITU-T H.264 and H.265,
/// D.2.7), which every player ignores that does not know their UUID.
package enum UserDataMessage {
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
        framing.units(of: bytes).flatMap { SEIMessage.messages(in: $0, isHEVC: isHEVC) }
            .compactMap { message in
                guard let data = message.userData, data.starts(with: uuid) else { return nil }
                return Array(data.dropFirst(uuid.count))
            }
    }
}

extension SEIMessage {
    /// The payload type of user data that bear a UUID.
    static let unregistered = 5

    /// Unregistered user data, from their UUID on; `nil` for messages of other types.
    var userData: ArraySlice<UInt8>? {
        guard type == Self.unregistered else { return nil }
        return payload.starts(with: Self.x265) ? payload.dropFirst(Self.x265.count) : payload[...]
    }

    /// libx265 writes this UUID before whatever it is given, which then begins with its own.
    /// (`SEIuserDataUnregistered::m_uuid_iso_iec_11578` in x265's `sei.h`.)
    private static let x265: [UInt8] = [
        0x2C, 0xA2, 0xDE, 0x09, 0xB5, 0x17, 0x47, 0xDB,
        0xBB, 0x55, 0xA4, 0xFE, 0x7F, 0xC2, 0xFC, 0x4E,
    ]
}
