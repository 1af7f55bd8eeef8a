/// Finds the frame that marks the active speaker: a thin line of a vivid colour between a gutter and a tile.
///
/// A frame that is drawn over a thin gutter interrupts it, so that its colour has to count as the gutter's.
struct SpeakerFrame {
    /// The frame's colour; `nil` where there is none.
    private(set) var colour: FlatColour?

    /// The width of frames in pixels.
    private static let widths = 2...9
    /// The least distance from grey: frames are yellow, green, blue or violet.
    private static let leastSaturation = 24
    /// The least number of rows that meet the frame.
    private static let leastCount = 8

    init(_ samples: SparseSamples, gutter: FlatColour) {
        var counts: [FlatColour: Int] = [:]
        let width = samples.width
        for line in samples.rows.positions.indices {
            var wasGutter = false
            var x = 0
            while x < width {
                let colour = samples.colour(row: line, column: x)
                let isGutter = colour.distance(to: gutter) <= ColourMask.lumaTolerance
                guard wasGutter, !isGutter else {
                    wasGutter = isGutter
                    x += 2
                    continue
                }
                wasGutter = false
                // One sample further the line has its own colour, not one between both.
                let frame = samples.colour(row: line, column: min(x + 1, width - 1))
                guard frame.saturation >= Self.leastSaturation else {
                    x += 2
                    continue
                }
                var end = x
                while end < width, end < x + 2 * Self.widths.upperBound,
                    samples.colour(row: line, column: end).distance(to: frame) <= 2 * ColourMask.lumaTolerance
                {
                    end += 1
                }
                if Self.widths.contains(end - x) { counts[frame.rounded, default: 0] += 1 }
                x = max(end, x + 2)
            }
        }
        guard let best = counts.max(by: { ($0.value, $1.key.luma) < ($1.value, $0.key.luma) }),
            best.value >= Self.leastCount
        else { return }
        colour = best.key
    }
}

extension FlatColour {
    /// The distance from grey.
    fileprivate var saturation: Int { max(abs(Int(cb) - 128), abs(Int(cr) - 128)) }

    /// The colour in steps of eight codes.
    fileprivate var rounded: FlatColour { FlatColour(luma: luma & 0xF8 | 4, cb: cb & 0xF8 | 4, cr: cr & 0xF8 | 4) }
}
