package import MediaIO
import Reactions

/// Joins the damage of neighbouring packets and frames into stretches, so that
/// each stretch is told once.
package struct DamageReport {
    private var stretch: (first: Double?, last: Double?, count: Int, detail: String)?

    package init() {}

    /// Takes the damage met on the way to a frame.
    ///
    /// - Parameter isClean: whether the frame itself is undamaged, which ends a stretch.
    /// - Returns: one warning for a stretch that has ended.
    package mutating func add(_ damage: [DecodingDamage], isClean: Bool) -> [PipelineWarning] {
        for item in damage {
            let time = item.time?.seconds
            stretch = (
                // Packets come in the order in which they are decoded, not shown.
                [stretch?.first, time].compactMap(\.self).min(), [stretch?.last, time].compactMap(\.self).max(),
                (stretch?.count ?? 0) + 1,
                stretch?.detail ?? item.detail
            )
        }
        guard isClean, let (first, last, count, detail) = stretch else { return [] }
        stretch = nil
        var place = ""
        if let first {
            let last = last ?? first
            place = first == last ? " at \(seconds(first)) s" : " from \(seconds(first)) s to \(seconds(last)) s"
        }
        let message = "the input is damaged\(place): \(detail)\(count > 1 ? " (\(count) times)" : "")"
        return [PipelineWarning(code: .damagedInput, message: message)]
    }

    private func seconds(_ value: Double) -> Double { JSONLine.rounded(value, places: 3) }
}
