import Raster

/// The properties of an image file that FFmpeg does not report.
struct StillFile {
    /// The orientation; `nil` if the file does not state it, or FFmpeg reports it.
    private(set) var orientation: Orientation?
    /// A Boolean value that indicates whether the file is truncated before the picture's end.
    private(set) var isCutShort = false

    /// - Parameters:
    ///   - bytes: The whole file, possibly damaged.
    ///   - codec: FFmpeg's name of the codec.
    init(_ bytes: Span<UInt8>, codec: String) {
        switch codec {
        case "mjpeg": isCutShort = Self.isCutShort(jpeg: bytes)
        case "png": orientation = Self.exif(png: bytes).flatMap(Orientation.init(exif:))
        case "webp": orientation = Self.exif(webp: bytes).flatMap(Orientation.init(exif:))
        default: break
        }
    }

    /// Returns whether the end marker is missing (ITU-T T.81, annex B). Arbitrary data may follow the end, such as a
    /// camera's video.
    private static func isCutShort(jpeg bytes: Span<UInt8>) -> Bool {
        var place = 0
        while place + 1 < bytes.count {
            switch (bytes[place], bytes[place + 1]) {
            case (0xff, 0xd9): return false
            // These segments state their length and are skipped, since a preview inside a segment has an end marker of
            // its own.
            case (0xff, 0xc0...0xcf), (0xff, 0xda...0xfe):
                place += 2 + max(2, number(bytes, at: place + 2, 2) ?? 2)
            default: place += 1
            }
        }
        return true
    }

    /// Returns the content of the eXIf chunk (PNG, third edition, 5.3).
    private static func exif(png bytes: Span<UInt8>) -> [UInt8]? {
        var place = 8
        while let size = number(bytes, at: place, 4) {
            if holds(bytes, at: place + 4, "eXIf") { return copy(bytes, from: place + 8, size) }
            place += 12 + size
        }
        return nil
    }

    /// Returns the content of the EXIF chunk. Some programs write `Exif\0\0` before the content, as in JPEG.
    private static func exif(webp bytes: Span<UInt8>) -> [UInt8]? {
        var place = 12
        while let swapped = number(bytes, at: place + 4, 4) {
            let size = Int(UInt32(swapped).byteSwapped)
            if holds(bytes, at: place, "EXIF") {
                let start = place + 8 + (holds(bytes, at: place + 8, "Exif\0\0") ? 6 : 0)
                return copy(bytes, from: start, place + 8 + size - start)
            }
            place += 8 + size + size % 2
        }
        return nil
    }

    // MARK: Bounds-checked reads

    private static func number(_ bytes: Span<UInt8>, at place: Int, _ size: Int) -> Int? {
        guard place + size <= bytes.count else { return nil }
        return (place..<place + size).reduce(0) { $0 << 8 | Int(bytes[$1]) }
    }

    private static func holds(_ bytes: Span<UInt8>, at place: Int, _ name: String) -> Bool {
        let name = Array(name.utf8)
        guard place + name.count <= bytes.count else { return false }
        return name.indices.allSatisfy { bytes[place + $0] == name[$0] }
    }

    private static func copy(_ bytes: Span<UInt8>, from start: Int, _ size: Int) -> [UInt8] {
        (start..<max(start, min(start + size, bytes.count))).map { bytes[$0] }
    }
}
