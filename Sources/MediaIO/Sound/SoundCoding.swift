internal import CFFmpeg

/// The reason why sounds cannot be mixed into a stream, in words for the user.
package struct SoundUnavailable: Error, Sendable, Hashable {
    package let message: String
}

/// The coding of a stream into which sounds are mixed.
///
/// In PCM, each packet is independent. In AAC and Opus, the decoder adds up the overlapping halves of two blocks, so a
/// block can be replaced where both codings describe the same sound.
enum SoundCoding: Hashable {
    case pcm, aac, opus

    /// - Throws: ``SoundUnavailable`` for other codecs, and for variants that the encoder cannot write.
    @unsafe
    init(_ parameters: UnsafePointer<AVCodecParameters>) throws(SoundUnavailable) {
        let id = unsafe parameters.pointee.codec_id
        let name = unsafe String(cString: avcodec_get_name(id))
        if Self.pcmCodecs.contains(where: { $0 == id }) {
            self = .pcm
        } else if id == AV_CODEC_ID_AAC {
            // 1 is AAC LC; −99 is unknown.
            let profile = unsafe parameters.pointee.profile
            guard profile == 1 || profile == -99 else {
                throw SoundUnavailable(message: "the sound is HE-AAC or another variant of AAC")
            }
            self = .aac
        } else if id == AV_CODEC_ID_OPUS {
            guard unsafe avcodec_find_encoder_by_name("libopus") != nil else {
                throw SoundUnavailable(message: "the installed FFmpeg has no Opus encoder (libopus)")
            }
            self = .opus
        } else {
            throw SoundUnavailable(message: "the sound is \(name); sounds are mixed into PCM, AAC and Opus")
        }
    }

    private static let pcmCodecs: [AVCodecID] = [
        AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S16BE, AV_CODEC_ID_PCM_S24LE, AV_CODEC_ID_PCM_S24BE,
        AV_CODEC_ID_PCM_S32LE, AV_CODEC_ID_PCM_S32BE, AV_CODEC_ID_PCM_F32LE, AV_CODEC_ID_PCM_F32BE,
        AV_CODEC_ID_PCM_F64LE, AV_CODEC_ID_PCM_F64BE, AV_CODEC_ID_PCM_U8, AV_CODEC_ID_PCM_ALAW, AV_CODEC_ID_PCM_MULAW,
    ]

    /// The maximum number of packets before and after a sound that are encoded again, to find a place where both
    /// codings have the same window.
    var margin: Int {
        switch self {
        case .pcm: 0
        case .aac: 10
        case .opus: 3
        }
    }

    /// The number of packets before the margin that are decoded only, and that are encoded without being written, so
    /// that decoder and encoder have the state of a longer run.
    var warmUp: (decoding: Int, encoding: Int) {
        switch self {
        case .pcm: (0, 0)
        case .aac: (1, 2)
        case .opus: (4, 4)
        }
    }
}
