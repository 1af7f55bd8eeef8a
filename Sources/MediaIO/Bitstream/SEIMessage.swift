/// A message of "supplemental enhancement information": what a stream says beside its pictures (ITU-T H.264 and H.265,
/// 7.3.2.3 and annex D).
struct SEIMessage: Sendable, Hashable {
    /// The payload type, such as 4 for registered user data.
    var type: Int
    var payload: [UInt8]

    /// The messages in a unit; none where it is of another kind.
    static func messages(in unit: ArraySlice<UInt8>, isHEVC: Bool) -> [SEIMessage] {
        guard let header = unit.first, NALUnit.kind(ofHeader: header, isHEVC: isHEVC) == .sei else { return [] }
        let bytes = NALUnit.unescaped(unit.dropFirst(NALUnit.headerSize(isHEVC: isHEVC)))
        var messages: [SEIMessage] = []
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
            messages.append(SEIMessage(type: type, payload: Array(bytes[place..<place + size])))
            place += size
        }
        return messages
    }

    /// A unit of messages that stands before the picture of which they tell; `nil` where there are none.
    static func unit(of messages: [SEIMessage], isHEVC: Bool) -> [UInt8]? {
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
        return (isHEVC ? [39 << 1, 1] : [6]) + NALUnit.escaped(content)
    }
}
