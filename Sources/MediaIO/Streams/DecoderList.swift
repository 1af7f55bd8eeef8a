internal import CFFmpeg

/// The decoders that may read a file.
package enum AllowedDecoders: String, Sendable, Hashable, CaseIterable {
    /// Those of ``DecoderList``, for files of unknown origin.
    case recordings
    /// All decoders of the installed FFmpeg.
    case all
}

/// The decoders that recordings need, and the only place where a decoder is looked up.
///
/// FFmpeg has more than 400 decoders. Many are for the files of old games, and few people look for faults in them. A
/// file may name any of them, so each one is a door to this process. The list is enforced twice: FFmpeg checks it while
/// it probes an input, and ``decoder(for:in:)`` checks it before a decoder is opened.
///
/// A demuxer's context carries the list (`AVFormatContext.codec_whitelist`). Contexts that FFmpeg opens itself, such as
/// those of a playlist's segments, inherit it. Streams that are only copied need no decoder.
package enum DecoderList {
    /// FFmpeg's names of the video and picture decoders.
    static let video =
        [
            // Calls, phones, cameras and the web.
            "h264", "hevc", "libdav1d", "libaom-av1", "av1", "vp8", "libvpx", "vp9", "libvpx-vp9", "mpeg4", "h261",
            "h263", "h263i", "h263p", "mjpeg", "theora",
            // Broadcasts, discs and tapes.
            "mpeg1video", "mpeg2video", "mpegvideo", "dvvideo", "prores", "dnxhd", "cfhd",
            // Older recorders of screens and calls, such as Windows Media and Flash.
            "msmpeg4v1", "msmpeg4v2", "msmpeg4", "wmv1", "wmv2", "wmv3", "vc1", "mss1", "mss2", "flv", "flashsv",
            "flashsv2", "vp6", "vp6f", "vp6a", "camtasia", "g2m", "qtrle", "svq1", "svq3", "cinepak",
            // Archives.
            "ffv1", "huffyuv", "ffvhuff", "utvideo",
            // Pictures without compression.
            "rawvideo", "v210", "v308", "v408", "v410", "r210", "yuv4", "y41p",
            // Stills and their sequences.
            "png", "apng", "webp", "bmp", "tiff", "gif", "pam", "pbm", "pgm", "pgmyuv", "ppm",
        ]

    /// FFmpeg's names of the sound decoders.
    static let sound =
        [
            "aac", "aac_fixed", "aac_latm", "mp1", "mp1float", "mp2", "mp2float", "mp3", "mp3float", "ac3",
            "ac3_fixed", "eac3", "dca", "mlp", "truehd", "opus", "libopus", "vorbis", "libvorbis", "flac", "alac",
            "wavpack", "wmav1", "wmav2", "wmapro", "wmalossless", "wmavoice", "dvaudio", "s302m",
            // Telephony.
            "amrnb", "amrwb", "libopencore_amrnb", "libopencore_amrwb", "speex", "libspeex", "nellymoser", "gsm",
            "gsm_ms", "libgsm", "libgsm_ms", "ilbc", "libilbc", "g722", "g723_1", "g726", "g726le", "g729", "qcelp",
            "adpcm_ms", "adpcm_ima_qt", "adpcm_ima_wav", "adpcm_swf",
        ]
        + [
            "alaw", "mulaw", "bluray", "dvd", "f32be", "f32le", "f64be", "f64le", "s8", "s8_planar", "u8", "s16be",
            "s16be_planar", "s16le", "s16le_planar", "s24be", "s24le", "s24le_planar", "s32be", "s32le",
            "s32le_planar", "s64be", "s64le", "u16be", "u16le", "u24be", "u24le", "u32be", "u32le",
        ].map { "pcm_" + $0 }

    /// The decoders of pictures that the program names itself: sprites, and the pictures of cameras.
    private static let pictures: Set = ["png", "webp", "gif", "mjpeg", "librsvg"]

    private static let names = Set(video + sound)

    /// The list in FFmpeg's form.
    private static let whitelist = (video + sound).joined(separator: ",")

    /// The options with which an input is opened.
    ///
    /// `codec_whitelist`
    static func options(_ allowed: AllowedDecoders) -> [(String, String)] {
        allowed == .all ? [] : [("codec_whitelist", whitelist)]
    }

    /// Returns the decoders that the context of an input allows.
    static func allowed(in input: InputContext) -> AllowedDecoders {
        unsafe input.pointer.pointee.codec_whitelist == nil ? .all : .recordings
    }

    /// Returns the decoder for a codec that the context of an input allows; nil if there is none.
    ///
    /// `avcodec_find_decoder`
    static func decoder(for id: AVCodecID, in input: InputContext) -> Codec? {
        decoder(for: id, of: allowed(in: input) == .all ? nil : names)
    }

    /// Returns the decoder for a codec of recordings; nil if there is none.
    ///
    /// - Parameter name: The preferred decoder; nil for FFmpeg's choice.
    static func decoder(for id: AVCodecID, preferring name: String?) -> Codec? {
        if let name, names.contains(name), let preferred = unsafe avcodec_find_decoder_by_name(name) {
            return unsafe Codec(preferred)
        }
        return decoder(for: id, of: names)
    }

    /// Returns the decoder for a picture whose codec the program names itself; nil if there is none.
    static func pictureDecoder(for id: AVCodecID) -> Codec? { decoder(for: id, of: pictures) }

    /// Returns FFmpeg's preferred decoder for a codec, or another one if that one is not on the list.
    ///
    /// - Parameter list: The names of the allowed decoders; nil for all.
    private static func decoder(for id: AVCodecID, of list: Set<String>?) -> Codec? {
        guard let first = unsafe avcodec_find_decoder(id) else { return nil }
        let usual = unsafe Codec(first)
        guard let list, !list.contains(usual.name) else { return usual }
        var place: UnsafeMutableRawPointer? = nil
        while let next = unsafe av_codec_iterate(&place) {
            let codec = unsafe Codec(next)
            if codec.id == id, unsafe av_codec_is_decoder(next) != 0, list.contains(codec.name) { return codec }
        }
        return nil
    }

    /// Returns the error for a codec without a decoder that may be used.
    ///
    /// - Parameter what: The stream's kind and codec, such as `video codec, magicyuv`.
    static func missing(_ id: AVCodecID, _ path: String, _ what: String) -> MediaError {
        guard unsafe avcodec_find_decoder(id) == nil else {
            return MediaError(
                .refused, file: path,
                "\(path): its \(what), is not on the list of decoders for files of unknown origin; if you trust the file, add --decoders all (input.decoders)"
            )
        }
        return MediaError(.noDecoder, file: path, "\(path): the installed FFmpeg has no decoder for its \(what)")
    }
}
