import Platform

/// The codec of the first video tag of an FLV file, for codecs that the installed FFmpeg does not read.
///
/// Adobe's Video File Format Specification 10.1, annex E; enhanced RTMP 1. The number 12 for HEVC is in common use.
enum FLVVideo {
    /// The codecs that FFmpeg reads from release 6.1 on.
    private static let later = ["hvc1": "HEVC", "av01": "AV1", "vp09": "VP9"]
    private static let numberOfHEVC: UInt8 = 12
    private static let headerSize = 9, tagHeaderSize = 11
    /// The number of tags that are searched.
    private static let limit = 1000

    /// Returns the reason why FFmpeg does not know the codec; nil if the file gives none.
    static func unreadCodec(in file: String) -> String? {
        guard let name = codec(of: file) else { return nil }
        return
            "its video is \(name), which FFmpeg reads in FLV from release 6.1 on (\(MediaLibraries.release) is installed)"
    }

    private static func codec(of file: String) -> String? {
        guard let file = OpenFile(file) else { return nil }
        // The size of the previous tag, which is 0 before the first, precedes each tag.
        var place = headerSize + 4
        for _ in 0..<limit {
            let bytes = file.read(at: Int64(place), count: tagHeaderSize + 5)
            guard bytes.count == tagHeaderSize + 5, let size = bytes.bigEndian(at: 1, count: 3) else { return nil }
            if bytes[0] & 0x1F == 9 {
                let flags = bytes[tagHeaderSize]
                if flags & 0x80 == 0 { return flags & 0x0F == numberOfHEVC ? "HEVC" : nil }
                return later[String(decoding: bytes[(tagHeaderSize + 1)...], as: UTF8.self)]
            }
            place += tagHeaderSize + size + 4
        }
        return nil
    }
}
