/// The EXIF metadata of a photograph, as a TIFF structure (CIPA DC-008, "Exif 2.32").
struct ExifBlock {
    /// The bytes from the byte order on. They lack the text `Exif`, which precedes them in JPEG. Invalid times and
    /// locations, which a recording may contain, are omitted.
    let bytes: [UInt8]

    /// - Parameters:
    ///   - width, height: The picture's size in pixels.
    ///   - isStandard: Whether its colours are sRGB.
    init(_ metadata: StillMetadata, width: Int, height: Int, isStandard: Bool) {
        var main: [Entry] = [.short(0x0112, 1)]
        if let text = metadata.description { main.append(.text(0x010e, text)) }
        if let text = metadata.software { main.append(.text(0x0131, text)) }
        var exif: [Entry] = [
            Entry(tag: 0x9000, type: 7, count: 4, value: Array("0232".utf8)),
            .short(0xa001, isStandard ? 1 : 0xffff), .long(0xa002, width), .long(0xa003, height),
        ]
        if let time = metadata.captureTime, CivilTime.range.contains(time) {
            let civil = CivilTime(seconds: time).exif
            main.append(.text(0x0132, civil.time))
            exif += [
                .text(0x9003, civil.time), .text(0x9004, civil.time), .text(0x9010, "+00:00"),
                .text(0x9011, "+00:00"), .text(0x9291, civil.milliseconds),
            ]
        }
        if let comment = metadata.comment {
            let value = Array("ASCII\0\0\0".utf8) + comment.unicodeScalars.map { $0.isASCII ? UInt8($0.value) : 63 }
            exif.append(Entry(tag: 0x9286, type: 7, count: value.count, value: value))
        }
        let place = metadata.location.flatMap { $0.isOnEarth ? Self.position($0) : nil } ?? []
        bytes = Self.laidOut(main, exif, place)
    }

    /// An entry of a directory. Values of more than four bytes are stored after the directory.
    private struct Entry {
        var tag: Int
        var type: UInt8
        var count: Int
        var value: [UInt8]

        static func short(_ tag: Int, _ value: Int) -> Entry {
            Entry(tag: tag, type: 3, count: 1, value: ExifBlock.number(value, 2))
        }

        static func long(_ tag: Int, _ value: Int) -> Entry {
            Entry(tag: tag, type: 4, count: 1, value: ExifBlock.number(value, 4))
        }

        /// Creates an entry of text in UTF-8, as most programs read it, although the standard only allows ASCII.
        static func text(_ tag: Int, _ text: String) -> Entry {
            let value = Array(text.utf8) + [0]
            return Entry(tag: tag, type: 2, count: value.count, value: value)
        }

        static func rationals(_ tag: Int, _ values: [(Int, Int)]) -> Entry {
            Entry(
                tag: tag, type: 5, count: values.count,
                value: values.flatMap { ExifBlock.number($0.0, 4) + ExifBlock.number($0.1, 4) })
        }
    }

    private static func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
    }

    private static func position(_ location: StillMetadata.Location) -> [Entry] {
        func degrees(_ value: Double) -> [(Int, Int)] {
            let all = Int((abs(value) * 3600 * 10_000).rounded())
            return [(all / 36_000_000, 1), (all / 600_000 % 60, 1), (all % 600_000, 10_000)]
        }
        var entries = [
            Entry(tag: 0, type: 1, count: 4, value: [2, 3, 0, 0]),
            .text(1, location.latitude < 0 ? "S" : "N"), .rationals(2, degrees(location.latitude)),
            .text(3, location.longitude < 0 ? "W" : "E"), .rationals(4, degrees(location.longitude)),
        ]
        // EXIF's numbers have 32 bits, so larger altitudes are omitted.
        if let altitude = location.altitude, abs(altitude) < 10_000_000 {
            entries.append(Entry(tag: 5, type: 1, count: 1, value: [altitude < 0 ? 1 : 0]))
            entries.append(.rationals(6, [(Int((abs(altitude) * 100).rounded()), 100)]))
        }
        return entries
    }

    /// Returns the consecutive directories, each followed by its larger values.
    private static func laidOut(_ main: [Entry], _ exif: [Entry], _ place: [Entry]) -> [UInt8] {
        // Pointers are entries, too. Their values are known once the lengths are known.
        var main = main + [.long(0x8769, 0)] + (place.isEmpty ? [] : [.long(0x8825, 0)])
        main.sort { $0.tag < $1.tag }
        let exifStart = 8 + length(main)
        let placeStart = exifStart + length(exif)
        for index in main.indices {
            if main[index].tag == 0x8769 { main[index].value = number(exifStart, 4) }
            if main[index].tag == 0x8825 { main[index].value = number(placeStart, 4) }
        }
        var bytes = Array("MM".utf8) + number(42, 2) + number(8, 4)
        for entries in [main, exif, place] where !entries.isEmpty {
            write(entries.sorted { $0.tag < $1.tag }, into: &bytes)
        }
        return bytes
    }

    private static func length(_ entries: [Entry]) -> Int {
        entries.reduce(2 + 12 * entries.count + 4) { $0 + ($1.value.count > 4 ? ($1.value.count + 1) / 2 * 2 : 0) }
    }

    private static func write(_ entries: [Entry], into bytes: inout [UInt8]) {
        var elsewhere: [UInt8] = []
        let after = bytes.count + 2 + 12 * entries.count + 4
        bytes += number(entries.count, 2)
        for entry in entries {
            bytes += number(entry.tag, 2) + number(Int(entry.type), 2) + number(entry.count, 4)
            if entry.value.count <= 4 {
                bytes += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            } else {
                bytes += number(after + elsewhere.count, 4)
                elsewhere += entry.value + (entry.value.count % 2 == 1 ? [0] : [])
            }
        }
        bytes += number(0, 4) + elsewhere
    }
}
