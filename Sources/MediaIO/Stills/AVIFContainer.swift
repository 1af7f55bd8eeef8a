import Raster

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
        let matrix =
            switch format.matrix {
            case .bt601: 6
            case .bt709: 1
            case .bt2020: 9
            }
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
