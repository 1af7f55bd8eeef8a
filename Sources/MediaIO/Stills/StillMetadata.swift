/// The metadata of a photograph's file.
package struct StillMetadata: Sendable, Hashable, Codable {
    /// A short description of the picture's content.
    package var description: String?
    /// A comment for other programs.
    package var comment: String?
    /// The program that wrote the file.
    package var software: String?
    /// The capture time: seconds since 1970 in UTC; nil if unknown.
    package var captureTime: Double?
    /// The capture location.
    package var location: Location?

    package init() {}

    /// A location on the earth.
    package struct Location: Sendable, Hashable, Codable {
        /// Degrees; north and east are positive.
        package var latitude, longitude: Double
        /// Metres above the sea.
        package var altitude: Double?

        package init(latitude: Double, longitude: Double, altitude: Double? = nil) {
            (self.latitude, self.longitude, self.altitude) = (latitude, longitude, altitude)
        }

        /// True if the coordinates are valid.
        var isOnEarth: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 }

        /// Parses a location in the form that phones write into recordings: `+52.5200+013.4050+034.0/` (ISO 6709, annex
        /// H, in degrees).
        ///
        /// - Returns: nil for anything else.
        package init?(iso6709 text: String) {
            var numbers: [String] = []
            for character in text.prefix(while: { $0 != "/" && $0 != "C" }) {
                switch character {
                case "+", "-": numbers.append(String(character))
                case "0"..."9", ".": if !numbers.isEmpty { numbers[numbers.count - 1].append(character) }
                default: return nil
                }
            }
            let values = numbers.compactMap(Double.init)
            guard values.count == numbers.count, values.count >= 2 else { return nil }
            self.init(latitude: values[0], longitude: values[1], altitude: values.count > 2 ? values[2] : nil)
            if !isOnEarth { return nil }
        }
    }

    /// Creates the metadata of a picture in a recording.
    ///
    /// - Parameters:
    ///   - metadata: FFmpeg's tags of the file.
    ///   - seconds: The time from the recording's first picture.
    package init(recording metadata: [String: String], at seconds: Double) {
        if let text = metadata["creation_time"], let start = CivilTime(text) { captureTime = start.seconds + seconds }
        let keys = ["com.apple.quicktime.location.ISO6709", "location", "location-eng"]
        location = keys.lazy.compactMap { metadata[$0].flatMap(Location.init(iso6709:)) }.first
    }
}

/// A date and a time of day in UTC, in the proleptic Gregorian calendar.
struct CivilTime: Hashable {
    /// The seconds since the beginning of 1970.
    let seconds: Double

    /// The range of the years 1 to 9999.
    static let range = Double(days(1, 1, 1)) * 86_400..<Double(days(10_000, 1, 1)) * 86_400

    /// - Precondition: The time is in ``range``.
    init(seconds: Double) { self.seconds = seconds }

    /// Parses `2026-05-04T10:20:30.250000Z`, FFmpeg's form of times; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(whereSeparator: { !$0.isNumber && $0 != "." })
        guard parts.count >= 6, text.hasSuffix("Z"), let year = Int(parts[0]), let month = Int(parts[1]),
            let day = Int(parts[2]), let hour = Int(parts[3]), let minute = Int(parts[4]),
            let second = Double(parts[5]), (1...9999).contains(year), (1...12).contains(month),
            (1...31).contains(day), (0...23).contains(hour), (0...59).contains(minute), (0..<61).contains(second)
        else { return nil }
        let clock = Double(hour * 3600 + minute * 60) + second
        seconds = Double(Self.days(year, month, day)) * 86_400 + clock
    }

    /// The time as EXIF stores it, `2026:05:04 10:20:30`, and milliseconds as three digits.
    var exif: (time: String, milliseconds: String) {
        let milliseconds = Int((seconds * 1000).rounded(.down))
        let whole = Int((Double(milliseconds) / 1000).rounded(.down))
        let days = Int((Double(whole) / 86_400).rounded(.down))
        let clock = whole - days * 86_400
        let date = Self.date(days)
        let day = [date.year.padded(4), date.month.padded(2), date.day.padded(2)]
        let hour = [(clock / 3600).padded(2), (clock / 60 % 60).padded(2), (clock % 60).padded(2)]
        let time = day.joined(separator: ":") + " " + hour.joined(separator: ":")
        return (time, (milliseconds - whole * 1000).padded(3))
    }

    /// Returns the days since 1970 (H. Hinnant, "chrono-compatible low-level date algorithms").
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // Years begin in March, so that the leap day is their last.
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Returns the date of a number of days since 1970.
    private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let z = days + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let civil = month < 10 ? month + 3 : month - 9
        return (yearOfEra + era * 400 + (civil <= 2 ? 1 : 0), civil, dayOfYear - (153 * month + 2) / 5 + 1)
    }
}

extension Int {
    /// Returns the decimal digits of a number that is not negative, with leading zeros.
    func padded(_ digits: Int) -> String {
        let plain = String(self)
        return String(repeating: "0", count: Swift.max(0, digits - plain.count)) + plain
    }
}

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
            Entry(tag: tag, type: 3, count: 1, value: StillContainer.number(value, 2))
        }

        static func long(_ tag: Int, _ value: Int) -> Entry {
            Entry(tag: tag, type: 4, count: 1, value: StillContainer.number(value, 4))
        }

        /// Creates an entry of text in UTF-8, as most programs read it, although the standard only allows ASCII.
        static func text(_ tag: Int, _ text: String) -> Entry {
            let value = Array(text.utf8) + [0]
            return Entry(tag: tag, type: 2, count: value.count, value: value)
        }

        static func rationals(_ tag: Int, _ values: [(Int, Int)]) -> Entry {
            Entry(
                tag: tag, type: 5, count: values.count,
                value: values.flatMap { StillContainer.number($0.0, 4) + StillContainer.number($0.1, 4) })
        }
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
            if main[index].tag == 0x8769 { main[index].value = StillContainer.number(exifStart, 4) }
            if main[index].tag == 0x8825 { main[index].value = StillContainer.number(placeStart, 4) }
        }
        var bytes = Array("MM".utf8) + StillContainer.number(42, 2) + StillContainer.number(8, 4)
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
        bytes += StillContainer.number(entries.count, 2)
        for entry in entries {
            bytes +=
                StillContainer.number(entry.tag, 2) + StillContainer.number(Int(entry.type), 2)
                + StillContainer.number(entry.count, 4)
            if entry.value.count <= 4 {
                bytes += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            } else {
                bytes += StillContainer.number(after + elsewhere.count, 4)
                elsewhere += entry.value + (entry.value.count % 2 == 1 ? [0] : [])
            }
        }
        bytes += StillContainer.number(0, 4) + elsewhere
    }
}
