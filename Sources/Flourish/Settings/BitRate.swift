/// Mean bits a second of a video: `2500000`, `2500k` or `2.5M`.
package struct BitRate: Sendable, Hashable {
    package static let range = 1000...10_000_000_000
    package let bitsPerSecond: Int

    /// - Returns: `nil` for what is no number or out of ``range``.
    package init?(_ text: String) {
        let factors: [Character: Double] = ["k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "g": 1e9, "G": 1e9]
        let factor = text.last.flatMap { factors[$0] }
        guard let number = Double(factor == nil ? text[...] : text.dropLast()) else { return nil }
        let bits = number * (factor ?? 1)
        guard bits >= Double(Self.range.lowerBound), bits <= Double(Self.range.upperBound) else { return nil }
        bitsPerSecond = Int(bits)
    }
}
