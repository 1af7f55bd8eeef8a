/// File names in any bytes, as text.
///
/// Linux takes every byte but `/` and 0 in a name. What of a name is no UTF-8 stands in the text as one scalar for each
/// byte, at the end of Unicode's private use, from U+10FF80 to U+10FFFF; and so does a name's own scalar of that kind.
/// The way back gives the same bytes for every name.
package enum RawName {
    private static let base: UInt32 = 0x10_FF00
    private static let escapes: ClosedRange<UInt32> = 0x10_FF80...0x10_FFFF

    /// The text for a name.
    package static func text(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !isEscaped(text) { return text }
        var text = String.UnicodeScalarView()
        var index = 0
        while index < bytes.count {
            // The length of a scalar follows from its first byte; whether it is one, the library says.
            let length = max(1, (~bytes[index]).leadingZeroBitCount)
            let end = min(index + length, bytes.count)
            let scalar = String(validating: bytes[index..<end], as: UTF8.self)?.unicodeScalars.first
            if let scalar, !escapes.contains(scalar.value) {
                text.append(scalar)
                index = end
            } else {
                // Base and a byte are a scalar, always.
                if let escape = Unicode.Scalar(base + UInt32(bytes[index])) { text.append(escape) }
                index += 1
            }
        }
        return String(text)
    }

    /// The name for a text.
    package static func bytes(_ text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar in
            escapes.contains(scalar.value)
                ? [UInt8(scalar.value - base)] : Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
    }

    /// The byte that a scalar stands for, where it does.
    package static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
        escapes.contains(scalar.value) ? UInt8(scalar.value - base) : nil
    }

    /// Whether a text stands for a name that is no UTF-8.
    package static func isEscaped(_ text: String) -> Bool {
        text.unicodeScalars.contains { escapes.contains($0.value) }
    }
}
