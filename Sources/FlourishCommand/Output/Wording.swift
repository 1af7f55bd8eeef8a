import Platform

/// Formats figures for messages.
enum Wording {
    /// Returns a duration: `1:15` for 75 s; `1:01:15` from an hour on.
    static func clock(_ seconds: Double) -> String {
        // Half a millisecond is added, because a difference of two time stamps may be slightly less than a second.
        let whole = Int((min(max(seconds, 0), 1e9) + 0.0005).rounded(.down))
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return hours > 0 ? "\(hours):\(padded(minutes)):\(padded(rest))" : "\(minutes):\(padded(rest))"
    }

    /// Returns seconds: `1800`, and below ten `2.6`.
    static func seconds(_ seconds: Double) -> String {
        if seconds >= 9.95 { return "\(Int(seconds.rounded()))" }
        return decimal(seconds)
    }

    /// Returns bytes in decimal units: `1.1 MB`.
    static func size(_ bytes: Int) -> String {
        var (value, unit) = (Double(bytes), "bytes")
        for larger in ["kB", "MB", "GB", "TB"] where value >= 999.5 { (value, unit) = (value / 1000, larger) }
        if unit == "bytes" { return "\(bytes) bytes" }
        return (value >= 9.95 ? "\(Int(value.rounded()))" : decimal(value)) + " " + unit
    }

    /// Returns a number with its noun: `2 reactions`.
    static func count(_ number: Int, _ thing: String) -> String { "\(number) \(thing)\(number == 1 ? "" : "s")" }

    /// Returns a path quoted for a shell.
    static func shellWord(_ name: String) -> String {
        let plain = !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || "._-/+,:@%".contains($0) }
        return plain
            ? name
            : "'" + name.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    /// Returns a text followed by spaces up to a width.
    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Returns a long name without its middle.
    static func shortened(_ name: String, to length: Int) -> String {
        guard name.count > length, length > 2 else { return name }
        let tail = (length - 1) / 2
        return name.prefix(length - 1 - tail) + "…" + name.suffix(tail)
    }

    /// Returns a number with a fixed number of decimal places.
    static func decimals(_ value: Double, _ places: Int) -> String {
        var scale = 1
        for _ in 0..<places { scale *= 10 }
        let whole = Int((value * Double(scale)).rounded())
        let fraction = String(abs(whole) % scale)
        return "\(whole / scale)." + String(repeating: "0", count: places - fraction.count) + fraction
    }

    /// Returns a number with one decimal place, unless that place is 0.
    private static func decimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}

extension String {
    /// The text in one line. Line breaks and control characters, which file names may contain, are escaped as in JSON.
    var printable: String {
        guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isUnprintable { text += scalar.escaped } else { text.unicodeScalars.append(scalar) }
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .privateUse: RawName.byte(self) != nil
        default: false
        }
    }

    fileprivate var escaped: String {
        if let byte = RawName.byte(self) { return "\\x" + String(byte, radix: 16, uppercase: true) }
        switch self {
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default:
            let digits = String(value, radix: 16, uppercase: true)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
    }
}
