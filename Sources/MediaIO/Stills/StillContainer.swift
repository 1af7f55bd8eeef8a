import Platform
import Raster

/// Combines the output of a still-image codec with metadata in a file.
enum StillContainer {
    /// Returns a JPEG file with an EXIF segment as its first segment (CIPA DC-008, 4.5.2).
    static func jpeg(_ coded: [UInt8], exif: [UInt8]) -> [UInt8] {
        let segment = Array("Exif\0\0".utf8) + exif
        // The segment follows the marker of the image's start. Metadata that exceeds a segment's maximum size is
        // omitted.
        guard coded.count > 2, segment.count + 2 <= 65_535 else { return coded }
        return coded[..<2] + [0xff, 0xe1] + number(segment.count + 2, 2) + segment + coded[2...]
    }

    /// Returns a PNG file with an eXIf chunk, directly after its header (PNG, third edition, 11.3.4.1).
    static func png(_ coded: [UInt8], exif: [UInt8]) -> [UInt8] {
        // The signature, and the header's length, name, 13 bytes and checksum.
        let start = 8 + 12 + 13
        guard coded.count > start else { return coded }
        let body = Array("eXIf".utf8) + exif
        return coded[..<start] + number(exif.count, 4) + body + number(Int(CRC32.checksum(of: body)), 4)
            + coded[start...]
    }

    /// Returns a WebP file in its extended form with an EXIF chunk at its end.
    static func webp(_ coded: [UInt8], exif: [UInt8], width: Int, height: Int) -> [UInt8] {
        guard coded.count > 20, Array(coded[0..<4]) == Array("RIFF".utf8) else { return coded }
        let isExtended = Array(coded[12..<16]) == Array("VP8X".utf8)
        var body = Array(coded[12...])
        if isExtended {
            body[8] |= 0x08
        } else {
            let size = little(width - 1, 3) + little(height - 1, 3)
            body = Array("VP8X".utf8) + little(10, 4) + [0x08, 0, 0, 0] + size + body
        }
        body += Array("EXIF".utf8) + little(exif.count, 4) + exif + (exif.count % 2 == 1 ? [0] : [])
        return Array("RIFF".utf8) + little(body.count + 4, 4) + Array("WEBP".utf8) + body
    }

    static func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
    }

    private static func little(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

extension Orientation {
    /// Creates the orientation from EXIF data, starting at the byte order; `nil` if the data does not state a valid
    /// orientation (CIPA DC-008, 4.6.2 and 4.6.4).
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
