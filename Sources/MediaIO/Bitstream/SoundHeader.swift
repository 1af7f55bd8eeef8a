internal import CFFmpeg

/// The header with which each packet of some sound codecs begins: AAC in transport streams (ISO/IEC 13818-7, 6.2), AC-3
/// and E-AC-3 (ETSI TS 102 366, 4.3 and E.1.2), MPEG audio (ISO/IEC 11172-3, 2.4.1.3).
struct SoundHeader: Sendable, Hashable {
    enum Family: String, Sendable, Hashable {
        case aac, ac3, mp3
    }

    let family: Family
    /// The sample rate in Hz; nil for E-AC-3.
    let sampleRate: Int?
    /// The code for the channels. Its meaning depends on the codec.
    let channels: UInt8
    /// The first two bytes of the AudioSpecificConfig in which other containers store the parameters of AAC
    /// (ISO/IEC 14496-3, 1.6.2.1); nil for other codecs, and if the header does not state the channels.
    private(set) var configuration: [UInt8]?

    /// - Returns: nil if the packet does not begin with a header.
    init?(of packet: borrowing Packet) {
        self.init(packet.withBytes { bytes in (0..<min(7, bytes.count)).map { bytes[$0] } })
    }

    /// - Parameter bytes: The beginning of a packet, at least seven bytes.
    /// - Returns: nil if no header begins there.
    init?(_ bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(7))
        guard head.count == 7 else { return nil }
        if head[0] == 0x0B, head[1] == 0x77 {
            let isEnhanced = head[5] >> 3 > 10
            let rates = [48_000, 44_100, 32_000]
            let code = Int(head[4] >> 6)
            if !isEnhanced, code >= rates.count { return nil }
            family = .ac3
            sampleRate = isEnhanced ? nil : rates[code]
            channels = isEnhanced ? head[4] >> 1 & 7 : head[6] >> 5
            return
        }
        guard head[0] == 0xFF, head[1] & 0xE0 == 0xE0 else { return nil }
        if head[1] & 0xF6 == 0xF0 {
            let rates = [
                96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
            ]
            let code = Int(head[2] >> 2 & 15)
            guard code < rates.count else { return nil }
            family = .aac
            sampleRate = rates[code]
            channels = (head[2] & 1) << 2 | head[3] >> 6
            if channels > 0 {
                let objectType = head[2] >> 6 + 1
                configuration = [objectType << 3 | head[2] >> 3 & 7, head[2] << 5 & 0x80 | channels << 3]
            }
            return
        }
        let version = head[1] >> 3 & 3, layer = head[1] >> 1 & 3, code = Int(head[2] >> 2 & 3)
        let rates = [44_100, 48_000, 32_000]
        guard version != 1, layer != 0, code < rates.count, head[2] >> 4 != 15 else { return nil }
        family = .mp3
        sampleRate = rates[code] >> (version == 3 ? 0 : version == 2 ? 1 : 2)
        channels = head[3] >> 6 == 3 ? 1 : 2
    }

    /// Returns the family of a codec, if its packets may have such headers.
    static func family(of codec: AVCodecID) -> Family? {
        switch codec {
        case AV_CODEC_ID_AAC: .aac
        case AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3: .ac3
        case AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3: .mp3
        default: nil
        }
    }

    var words: String { sampleRate.map { "\(family.rawValue), \($0) Hz" } ?? family.rawValue }

    /// Returns whether a packet with this header can follow one with another header in a track.
    ///
    /// - Parameter keepsHeaders: Whether each packet of the track states its format; otherwise the track's header does.
    func fits(_ other: SoundHeader, keepsHeaders: Bool) -> Bool {
        keepsHeaders ? family == other.family : self == other
    }
}
