internal import CFFmpeg
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
        return coded[..<start] + number(exif.count, 4) + body + number(Int(Zlib.checksum(of: body)), 4)
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

    /// Returns the last bytes of an integer, most significant byte first.
    static func number(_ value: Int, _ size: Int) -> [UInt8] { little(value, size).reversed() }

    /// Returns the last bytes of an integer, least significant byte first.
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
            isLittle ? bytes.littleEndian(at: place, count: size) : bytes.bigEndian(at: place, count: size)
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

/// An AV1 picture as an AVIF file (AV1 Image File Format 1.1, on ISO/IEC 23008-12).
struct AVIFContainer {
    private let header: AV1SequenceHeader
    private let picture: [UInt8]
    private let format: PictureFormat

    /// - Parameters:
    ///   - coded: A temporal unit of one picture.
    /// - Returns: nil if the unit has no sequence header, or one with timing information.
    init?(_ coded: [UInt8], format: PictureFormat) {
        guard let header = AV1SequenceHeader(coded) else { return nil }
        self.header = header
        self.format = format
        // Stills need no temporal delimiter.
        picture = AV1Unit.units(in: coded.span).filter { $0.kind != .temporalDelimiter }.flatMap { coded[$0.whole] }
    }

    /// Returns the whole file.
    ///
    /// - Parameters:
    ///   - transfer: The transfer function's number in ITU-T H.273.
    func bytes(exif: [UInt8], transfer: Int) -> [UInt8] {
        // Four bytes before the TIFF structure state its offset (ISO/IEC 23008-12, A.2.1).
        let exifItem = number(0, 4) + exif
        let type = box(
            "ftyp", text("avif") + number(0, 4) + text("avifmif1miaf") + (header.profile == 0 ? text("MA1B") : []))
        let size = meta(dataAt: 0, exifItem.count, transfer).count
        let data = type.count + size + 8
        return type + meta(dataAt: data, exifItem.count, transfer) + box("mdat", picture + exifItem)
    }

    private func meta(dataAt data: Int, _ exifCount: Int, _ transfer: Int) -> [UInt8] {
        let handler = full("hdlr", number(0, 4) + text("pict") + number(0, 12) + [0])
        let primary = full("pitm", number(1, 2))
        func place(_ item: Int, _ offset: Int, _ length: Int) -> [UInt8] {
            number(item, 2) + number(0, 2) + number(1, 2) + number(offset, 4) + number(length, 4)
        }
        let places = full(
            "iloc",
            [0x44, 0] + number(2, 2) + place(1, data, picture.count) + place(2, data + picture.count, exifCount))
        func item(_ number: Int, _ type: String) -> [UInt8] {
            full("infe", version: 2, self.number(number, 2) + self.number(0, 2) + text(type) + [0])
        }
        let items = full("iinf", number(2, 2) + item(1, "av01") + item(2, "Exif"))
        // The second item describes the first.
        let references = full("iref", box("cdsc", number(2, 2) + number(1, 2) + number(1, 2)))
        return full("meta", handler + primary + places + items + properties(transfer) + references)
    }

    private func properties(_ transfer: Int) -> [UInt8] {
        let depth = UInt8(format.bitDepth)
        let size = full("ispe", number(format.width, 4) + number(format.height, 4))
        let bits = full("pixi", [3, depth, depth, depth])
        let primaries = format.primaries == .bt2020 ? 9 : 1
        let matrix = Int(format.matrix.avColorSpace.rawValue)
        let colours = box(
            "colr",
            text("nclx") + number(primaries, 2) + number(transfer, 2) + number(matrix, 2)
                + [format.range == .full ? 0x80 : 0])
        let all = box("ipco", size + bits + box("av1C", header.configuration(format)) + colours)
        // 0x80 marks the codec's property, the third, as essential.
        let association = full("ipma", number(1, 4) + number(1, 2) + [4, 1, 2, 0x83, 4])
        return box("iprp", all + association)
    }

    private func box(_ type: String, _ body: [UInt8]) -> [UInt8] { number(body.count + 8, 4) + text(type) + body }

    private func full(_ type: String, version: UInt8 = 0, _ body: [UInt8]) -> [UInt8] {
        box(type, [version, 0, 0, 0] + body)
    }

    private func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func number(_ value: Int, _ size: Int) -> [UInt8] { StillContainer.number(value, size) }
}

/// The parts of an AV1 sequence header that containers repeat (AV1 bitstream specification, 5.5).
struct AV1SequenceHeader {
    let profile: Int
    private let level, tier: Int
    /// The whole unit, with its header.
    private let unit: [UInt8]

    /// - Returns: nil if there is no sequence header, or if it has timing information.
    init?(_ coded: [UInt8]) {
        guard let found = AV1Unit.units(in: coded.span).first(where: { $0.kind == .sequenceHeader }) else { return nil }
        unit = Array(coded[found.whole])
        var reader = BitReader(Array(coded[found.content]))
        profile = Int(reader.bits(3))
        _ = reader.bit()
        if reader.bit() {
            (level, tier) = (Int(reader.bits(5)), 0)
            return
        }
        // Stills need no timing information.
        guard !reader.bit() else { return nil }
        _ = reader.bits(1 + 5 + 12)
        level = Int(reader.bits(5))
        tier = level > 7 ? Int(reader.bits(1)) : 0
    }

    /// `AV1CodecConfigurationRecord`
    func configuration(_ format: PictureFormat) -> [UInt8] {
        let depth: UInt8 = (format.bitDepth > 8 ? 0x40 : 0) | (format.bitDepth > 10 ? 0x20 : 0)
        let chroma = UInt8(format.chroma.shiftX << 3 | format.chroma.shiftY << 2)
        return [0x81, UInt8(profile << 5 | level), UInt8(tier << 7) | depth | chroma, 0] + unit
    }
}

/// The properties of an image file that FFmpeg does not report.
struct StillFile {
    /// The orientation; `nil` if the file does not state it, or FFmpeg reports it.
    private(set) var orientation: Orientation?
    /// True if the file is truncated before the picture's end.
    private(set) var isCutShort = false

    /// - Parameters:
    ///   - bytes: The whole file, possibly damaged.
    ///   - codec: FFmpeg's name of the codec.
    init(_ bytes: [UInt8], codec: String) {
        switch codec {
        case "mjpeg": isCutShort = Self.isCutShort(jpeg: bytes)
        case "png": orientation = Self.exif(png: bytes).flatMap(Orientation.init(exif:))
        case "webp": orientation = Self.exif(webp: bytes).flatMap(Orientation.init(exif:))
        default: break
        }
    }

    /// Returns whether the end marker is missing (ITU-T T.81, annex B). Arbitrary data may follow the end, such as a
    /// camera's video.
    private static func isCutShort(jpeg bytes: [UInt8]) -> Bool {
        var place = 0
        while place + 1 < bytes.count {
            switch (bytes[place], bytes[place + 1]) {
            case (0xff, 0xd9): return false
            // These segments state their length and are skipped, since a preview inside a segment has an end marker of
            // its own.
            case (0xff, 0xc0...0xcf), (0xff, 0xda...0xfe):
                place += 2 + max(2, bytes.bigEndian(at: place + 2, count: 2) ?? 2)
            default: place += 1
            }
        }
        return true
    }

    /// Returns the content of the eXIf chunk (PNG, third edition, 5.3).
    private static func exif(png bytes: [UInt8]) -> [UInt8]? {
        var place = 8
        while let size = bytes.bigEndian(at: place, count: 4) {
            let chunk = bytes.dropFirst(place + 4)
            if chunk.starts(with: "eXIf".utf8) { return Array(chunk.dropFirst(4).prefix(size)) }
            place += 12 + size
        }
        return nil
    }

    /// Returns the content of the EXIF chunk. Some programs write `Exif\0\0` before the content, as in JPEG.
    private static func exif(webp bytes: [UInt8]) -> [UInt8]? {
        var place = 12
        while let size = bytes.littleEndian(at: place + 4, count: 4) {
            if bytes.dropFirst(place).starts(with: "EXIF".utf8) {
                let content = bytes.dropFirst(place + 8).prefix(size)
                return Array(content.dropFirst(content.starts(with: "Exif\0\0".utf8) ? 6 : 0))
            }
            place += 8 + size + size % 2
        }
        return nil
    }
}
