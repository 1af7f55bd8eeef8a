/// A message of supplemental enhancement information, SEI (ITU-T H.264 and H.265, 7.3.2.3 and annex D).
struct SEIMessage: Sendable, Hashable {
    /// The payload type, such as 4 for registered user data.
    var type: Int
    var payload: [UInt8]

    /// Returns the messages in a unit; none if the unit is of another kind.
    static func messages(in unit: ArraySlice<UInt8>, codec: NALCodec) -> [SEIMessage] {
        guard let header = unit.first, NALUnit.kind(ofHeader: header, codec: codec) == .sei else { return [] }
        let bytes = NALUnit.unescaped(unit.dropFirst(NALUnit.headerSize(codec: codec)))
        var messages: [SEIMessage] = []
        var place = 0
        /// Reads a number. Bytes of 255 are continued by the next byte.
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
        // The last byte contains the trailing bits.
        while place + 2 < bytes.count, let type = number(), let size = number() {
            guard size <= bytes.count - place else { break }
            messages.append(SEIMessage(type: type, payload: Array(bytes[place..<place + size])))
            place += size
        }
        return messages
    }

    /// Returns a unit with messages for the picture that follows; `nil` if there are none.
    static func unit(of messages: [SEIMessage], codec: NALCodec) -> [UInt8]? {
        guard !messages.isEmpty else { return nil }
        var content: [UInt8] = []
        func add(_ number: Int) {
            content += [UInt8](repeating: 255, count: number / 255)
            content.append(UInt8(number % 255))
        }
        for message in messages {
            add(message.type)
            add(message.payload.count)
            content += message.payload
        }
        content.append(0x80)
        return (codec == .hevc ? [39 << 1, 1] : [6]) + NALUnit.escaped(content)
    }
}

/// Messages within a video stream: SEI messages of the type "user data unregistered" (ITU-T H.264 and H.265, D.2.7).
/// Players ignore messages with an unknown UUID.
package enum UserDataMessage {
    /// Returns the messages with a UUID in a packet of a stream.
    ///
    /// - Parameter uuid: The UUID, 16 bytes.
    package static func messages(
        in bytes: [UInt8], framing: NALFraming, codec: NALCodec, uuid: [UInt8]
    ) -> [[UInt8]] {
        framing.units(of: bytes).flatMap { SEIMessage.messages(in: $0, codec: codec) }
            .compactMap { message in
                guard let data = message.userData, data.starts(with: uuid) else { return nil }
                return Array(data.dropFirst(uuid.count))
            }
    }
}

extension SEIMessage {
    /// The payload type of user data with a UUID.
    static let unregistered = 5

    /// The unregistered user data, starting with their UUID; `nil` for messages of other types.
    var userData: ArraySlice<UInt8>? {
        guard type == Self.unregistered else { return nil }
        return payload.starts(with: Self.x265) ? payload.dropFirst(Self.x265.count) : payload[...]
    }

    /// The UUID that libx265 writes before each payload. The payload itself begins with its own UUID.
    /// (`SEIuserDataUnregistered::m_uuid_iso_iec_11578` in x265's `sei.h`.)
    private static let x265: [UInt8] = [
        0x2C, 0xA2, 0xDE, 0x09, 0xB5, 0x17, 0x47, 0xDB,
        0xBB, 0x55, 0xA4, 0xFE, 0x7F, 0xC2, 0xFC, 0x4E,
    ]
}

extension SEIMessage {
    /// The UUID of the message with which x264 describes itself. Players and tools apply this description to the whole
    /// file.
    ///
    /// `x264_sei_version_write` in x264's `encoder/set.c`.
    static let x264Signature: [UInt8] = [
        0xDC, 0x45, 0xE9, 0xBD, 0xE6, 0xD9, 0x48, 0xB7, 0x96, 0x2C, 0xD8, 0x20, 0xD9, 0x23, 0xEE, 0xEF,
    ]
    /// The beginning of libx265's description of itself. The text directly follows the UUID ``x265``, with which all of
    /// libx265's messages begin.
    private static let x265Signature = Array("x265 ".utf8)

    /// True if the message describes the encoder.
    var isSignature: Bool {
        guard let data = userData else { return false }
        return data.starts(with: Self.x264Signature) || data.starts(with: Self.x265Signature)
    }
}
