/// What a picture's file says of it that FFmpeg does not tell.
struct StillFile {
    /// Whether the file breaks off before the picture's end.
    private(set) var isCutShort = false

    /// - Parameters:
    ///   - bytes: the whole file, damaged perhaps.
    ///   - codec: FFmpeg's name of what it holds.
    init(_ bytes: Span<UInt8>, codec: String) {
        switch codec {
        case "mjpeg": isCutShort = Self.isCutShort(jpeg: bytes)
        default: break
        }
    }

    /// Whether the end is missing (ITU-T T.81, annex B). What follows it may be anything; cameras put a film there.
    private static func isCutShort(jpeg bytes: Span<UInt8>) -> Bool {
        var place = 0
        while place + 1 < bytes.count {
            switch (bytes[place], bytes[place + 1]) {
            case (0xff, 0xd9): return false
            // Parts that say how long they are, of which a preview has an end of its own.
            case (0xff, 0xc0...0xcf), (0xff, 0xda...0xfe):
                place += 2 + max(2, number(bytes, at: place + 2, 2) ?? 2)
            default: place += 1
            }
        }
        return true
    }

    private static func number(_ bytes: Span<UInt8>, at place: Int, _ size: Int) -> Int? {
        guard place + size <= bytes.count else { return nil }
        return (place..<place + size).reduce(0) { $0 << 8 | Int(bytes[$1]) }
    }
}
