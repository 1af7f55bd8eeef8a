/// Detects motion from a few samples of each picture. `PersonMask` of Vision owns one, to run its model less
/// often without motion.
///
/// The picture is divided into cells. The luma of a short strip in the middle of each cell is averaged, so that noise
/// does not count as motion. The cost is some ten thousand samples for any picture size.
package struct MotionProbe: Sendable {
    private static let columns = 32, rows = 18
    /// The maximum size of a cell's strip in samples.
    private static let stripWidth = 16, stripHeight = 2
    /// The minimum change of a cell's mean, as an 8-bit code value.
    private static let threshold = 6
    /// The minimum number of changed cells for `Motion.some`, and for `Motion.much`.
    private static let someCells = 3, manyCells = 16

    /// The amount of motion in a picture.
    package enum Motion: Sendable { case none, some, much }

    private var reference: [Int32] = []
    private var current = [Int32](repeating: 0, count: columns * rows)

    package init() {}

    /// Stores a picture as the reference for later ones.
    package mutating func remember(_ picture: borrowing Picture) {
        Self.read(picture, into: &current)
        swap(&current, &reference)
        if current.count != reference.count { current = reference }
    }

    /// Returns the motion of a picture relative to the reference. Cells within people are ignored. Without a reference,
    /// the motion is `much`.
    package mutating func motion(in picture: borrowing Picture, apartFrom mask: BandMask?) -> Motion {
        guard !reference.isEmpty else { return .much }
        Self.read(picture, into: &current)
        let depth = picture.format.bitDepth - 8
        var changed = 0
        for cell in current.indices
        where abs(current[cell] - reference[cell]) > Int32(Self.threshold << depth) {
            let x = (Double(cell % Self.columns) + 0.5) / Double(Self.columns)
            let y = (Double(cell / Self.columns) + 0.5) / Double(Self.rows)
            if mask?.isWithinPerson(x, y) == true { continue }
            changed += 1
            if changed == Self.manyCells { return .much }
        }
        return changed >= Self.someCells ? .some : .none
    }

    /// Returns whether a picture shows another scene than the reference, and stores it as the reference for the next one.
    ///
    /// A change of light, which all cells have in common, is no cut. Without a reference, the picture begins a scene.
    package mutating func beginsScene(_ picture: borrowing Picture) -> Bool {
        guard !reference.isEmpty else {
            remember(picture)
            return true
        }
        Self.read(picture, into: &current)
        var differences = current
        for cell in differences.indices { differences[cell] -= reference[cell] }
        let light = differences.sorted()[differences.count / 2]
        let least = Int32(Self.cut.change << (picture.format.bitDepth - 8))
        let changed = differences.count { abs($0 - light) > least }
        swap(&current, &reference)
        return Double(changed) > Self.cut.share * Double(differences.count)
    }

    /// The change of a cell's mean at a cut, as an 8-bit code value, and the share of the cells with such a change.
    private static let cut = (change: 12, share: 0.5)

    private static func read(_ picture: borrowing Picture, into means: inout [Int32]) {
        let format = picture.format
        if format.bitDepth == 8 {
            picture.with8BitPlane(.luma) { read($0, $1, format, into: &means) }
        } else {
            picture.with16BitPlane(.luma) { read($0, $1, format, into: &means) }
        }
    }

    @inline(__always)
    private static func read<Sample: FixedWidthInteger & UnsignedInteger>(
        _ samples: Span<Sample>, _ stride: Int, _ format: PictureFormat, into means: inout [Int32]
    ) {
        let width = max(min(stripWidth, format.width / columns), 1)
        let height = max(min(stripHeight, format.height / rows), 1)
        for row in 0..<rows {
            let top = min((2 * row + 1) * format.height / (2 * rows), format.height - height)
            for column in 0..<columns {
                let left = min((2 * column + 1) * format.width / (2 * columns), format.width - width)
                var sum: Int32 = 0
                for y in top..<top + height {
                    let strip = samples.extracting(y * stride + left..<y * stride + left + width)
                    for x in 0..<width { sum &+= Int32(truncatingIfNeeded: strip[x]) }
                }
                means[row * columns + column] = sum / Int32(width * height)
            }
        }
    }
}
