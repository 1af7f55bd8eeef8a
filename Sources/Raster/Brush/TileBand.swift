/// A band of a picture while it is drawn: one row of tiles.
struct TileBand {
    /// Its rows in the picture.
    let rows: Range<Int>
    let blender: Blender
    let people: TilePeople
    /// Whether what is drawn is behind people.
    var isBehind: Bool

    var top: Int { rows.lowerBound }

    /// Whether people hide parts of the band that are the same in so many rows.
    func leavesGaps(overRows count: Int) -> Bool { isBehind && people.sharedRows >= count }

    /// Calls `body` for the pixels of the band's row `y` that show what is drawn, with whether people
    /// hide part of it.
    @inline(__always)
    func forEachShown(
        of pixels: Range<Int>, inRow y: Int, _ body: (_ pixels: Range<Int>, _ isEdge: Bool) -> Void
    ) {
        guard isBehind else { return body(pixels, false) }
        people.forEachStretch(inRow: y, of: pixels) { kind, pixels in
            if kind == .room || kind == .edge { body(pixels, kind == .edge) }
        }
    }
}
