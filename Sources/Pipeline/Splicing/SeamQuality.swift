import MediaIO

/// How much finer the pictures at the ends of a span are coded than those within it, so that nobody sees a seam.
///
/// The picture before a seam lies beside one of the source. An encoder spends least on it, since no other refers to it
/// any more. (Measured: see docs/notes/smart-rendering.md.)
enum SeamQuality {
    /// So many frames before the end of a span the pictures begin to become finer.
    private static let ramp = 15
    /// Steps of the quantiser by which the last picture is finer, and the first.
    private static let last = 10.0, first = 7.0

    /// By how much the frame of a number is finer, of so many in the span.
    static func gain(ofFrame number: Int, of count: Int) -> Double {
        if number == 0 { return first }
        return last * Double(max(0, number - (count - 1 - ramp))) / Double(ramp)
    }

    /// The whole of a picture, as the encoder is told; none where it is coded like all others.
    static func regions(ofFrame number: Int, of count: Int, width: Int, height: Int) -> [QualityRegion] {
        let gain = gain(ofFrame: number, of: count)
        return gain > 0 ? [QualityRegion(columns: 0..<width, rows: 0..<height, quantiserOffset: -gain)] : []
    }
}
