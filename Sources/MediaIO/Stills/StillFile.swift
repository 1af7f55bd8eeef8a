internal import Raster

/// What a picture's file says of it that FFmpeg does not tell.
struct StillFile {
    /// How it is to be turned; `nil` where the file does not say, or FFmpeg tells.
    private(set) var orientation: Orientation?
    /// Whether the file breaks off before the picture's end.
    private(set) var isCutShort = false

    /// - Parameters:
    ///   - bytes: the whole file, damaged perhaps.
    ///   - codec: FFmpeg's name of what it holds.
    init(_ bytes: Span<UInt8>, codec: String) {
        switch codec {
        case "mjpeg": isCutShort = Self.isCutShort(jpeg: bytes)
        case "png": orientation = Self.exif(png: bytes).flatMap(Orientation.init(exif:))
        case "webp": orientation = Self.exif(webp: bytes).flatMap(Orientation.init(exif:))
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

    /// What the eXIf chunk holds (PNG, third edition, 5.3).
    private static func exif(png bytes: Span<UInt8>) -> [UInt8]? {
        var place = 8
        while let size = number(bytes, at: place, 4) {
            if holds(bytes, at: place + 4, "eXIf") { return copy(bytes, from: place + 8, size) }
            place += 12 + size
        }
        return nil
    }

    /// What the EXIF chunk holds; some programs begin it as JPEG's begins.
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

    // MARK: Bytes that may not be there

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

extension Orientation {
    /// What EXIF data say, from the byte order on; `nil` where they do not say, or nothing that makes sense
    /// (CIPA DC-008, 4.6.2 and 4.6.4).
    init?(exif bytes: [UInt8]) {
        let isLittle = bytes.starts(with: [0x49, 0x49, 42, 0])
        guard isLittle || bytes.starts(with: [0x4d, 0x4d, 0, 42]) else { return nil }
        func number(at place: Int, _ size: Int) -> Int? {
            guard place + size <= bytes.count else { return nil }
            let digits = bytes[place..<place + size]
            return (isLittle ? Array(digits.reversed()) : Array(digits)).reduce(0) { $0 << 8 | Int($1) }
        }
        guard let directory = number(at: 4, 4), let count = number(at: directory, 2) else { return nil }
        let entries = (0..<count).lazy.map { directory + 2 + 12 * $0 }
        guard let entry = entries.first(where: { number(at: $0, 2) == 0x0112 }), number(at: entry + 2, 2) == 3 else {
            return nil
        }
        switch number(at: entry + 8, 2) {
        case 1: self = .upright
        case 2: self.init(mirrored: true)
        case 3: self.init(quarterTurns: 2)
        case 4: self.init(quarterTurns: 2, mirrored: true)
        case 5: self.init(quarterTurns: 3, mirrored: true)
        case 6: self.init(quarterTurns: 1)
        case 7: self.init(quarterTurns: 1, mirrored: true)
        case 8: self.init(quarterTurns: 3)
        default: return nil
        }
    }
}
