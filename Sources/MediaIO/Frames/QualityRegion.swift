/// A part of a picture that is to be encoded finer or coarser than the rest.
package struct QualityRegion: Sendable, Hashable {
    /// The part, in pixels of the stored picture; the ends are not part of it.
    package var columns: Range<Int>
    package var rows: Range<Int>
    /// Steps of the quantiser; negative is finer.
    package var quantiserOffset: Double

    package init(columns: Range<Int>, rows: Range<Int>, quantiserOffset: Double) {
        self.columns = columns
        self.rows = rows
        self.quantiserOffset = quantiserOffset
    }
}
