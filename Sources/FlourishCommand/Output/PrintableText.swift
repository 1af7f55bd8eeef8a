import Platform

extension String {
    /// The text on one line: what would end the line, or steer a terminal, stands there as in JSON. A file's name may
    /// hold anything.
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
