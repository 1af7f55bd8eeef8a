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
        let day = Int((Double(whole) / 86_400).rounded(.down))
        let clock = whole - day * 86_400
        let date = Self.date(day)
        let time =
            "\(Self.padded(date.year, 4)):\(Self.padded(date.month, 2)):\(Self.padded(date.day, 2)) "
            + "\(Self.padded(clock / 3600, 2)):\(Self.padded(clock / 60 % 60, 2)):\(Self.padded(clock % 60, 2))"
        return (time, Self.padded(milliseconds - whole * 1000, 3))
    }

    private static func padded(_ value: Int, _ digits: Int) -> String {
        let plain = String(value)
        return String(repeating: "0", count: max(0, digits - plain.count)) + plain
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
