/// What a packet of AV1 says of its pictures. A packet is a temporal unit: some pictures that are kept for later ones, and the
/// one that is shown.
struct AV1Packet {
    /// `nil` where it does not show exactly one picture, or shows it in several sizes.
    private(set) var role: CodedPicture.Role?
    /// What its sequence header says, if it has one: every key frame does. That of the stream's header may be another one, and
    /// counts for nothing then (SVT-AV1 writes it before it has settled all).
    private(set) var sequenceHeader: [UInt8]?
    /// Whether it says something of its picture that holds for that alone, such as captions or HDR10+.
    private(set) var hasMessages = false
    /// A Boolean value that indicates whether it has frames, but shows none.
    private(set) var isHidden = false

    /// The type of metadata that ITU-T T.35 registers (6.7.1).
    private static let registered: UInt8 = 4

    init(_ bytes: Span<UInt8>) {
        var shown = 0, count = 0, isEntry = false, hasLayers = false, isStill = false
        for unit in AV1Unit.units(in: bytes) {
            hasLayers = hasLayers || unit.spatialLayer > 0
            switch unit.kind {
            case .sequenceHeader:
                sequenceHeader = bytes.copy(unit.content)
                // 5.5.1: seq_profile, still_picture, reduced_still_picture_header.
                isStill = sequenceHeader?.first.map { $0 & 0x08 != 0 } ?? false
            case .frame, .frameHeader:
                guard !unit.content.isEmpty else { continue }
                // 5.9.2: show_existing_frame, frame_type, show_frame. A still picture's header has none of them; such
                // packets are taken for whatever they say, and the decoder is asked whether the result is right.
                var reader = BitReader([bytes[unit.content.lowerBound]])
                let showsKnown = reader.bit(), isKey = reader.bits(2) == 0, isShown = reader.bit()
                if showsKnown || isShown { shown += 1 }
                // Where the key frame is shown later, pictures in between may refer to what was before it.
                if count == 0 { isEntry = !showsKnown && isKey && isShown }
                count += 1
            case .metadata:
                if !unit.content.isEmpty, bytes[unit.content.lowerBound] == Self.registered { hasMessages = true }
            default: break
            }
        }
        isHidden = count > 0 && shown == 0 && !isStill
        if shown == 1, !hasLayers { role = isEntry ? .entry : .dependent }
    }

    /// Joins packets into one temporal unit: with one delimiter at most, and the size of each unit in its header.
    static func joined(_ packets: [[UInt8]]) -> [UInt8] {
        var result: [UInt8] = []
        for packet in packets {
            for unit in AV1Unit.units(in: packet.span) where unit.kind != .temporalDelimiter || result.isEmpty {
                let header = packet[unit.whole.lowerBound]
                result.append(header | 2)
                if header & 4 != 0 { result.append(packet[unit.whole.lowerBound + 1]) }
                result += AV1Unit.encoded(unit.content.count)
                result += packet[unit.content]
            }
        }
        return result
    }
}

extension Span<UInt8> {
    fileprivate func copy(_ range: Range<Int>) -> [UInt8] { range.map { self[$0] } }
}
