import Raster

/// The upper outline of people, on which rain falls: heads and shoulders.
struct PeopleOutline {
    private static let columns = 96
    private static let rows = 96
    /// Whether the outline lies within the picture, and not above it: how far down, at the least.
    private static let least = 0.02

    /// For each column how far down it is, in heights of the frame; nil where nobody is, or their upper end is not seen.
    private let tops: [Double?]

    init(_ mask: TileMask, geometry: DisplayGeometry) {
        let toStored = geometry.uprightToStored
        tops = (0..<Self.columns).map { column in
            let x = (Double(column) + 0.5) / Double(Self.columns) * geometry.uprightWidth
            let row = (0..<Self.rows).first { row in
                let p = toStored.apply(x: x, y: (Double(row) + 0.5) / Double(Self.rows) * geometry.uprightHeight)
                return mask.isMostlyPerson(
                    p.x / Double(geometry.storedWidth), p.y / Double(geometry.storedHeight))
            }
            return row.map { (Double($0) + 0.5) / Double(Self.rows) }.flatMap { $0 < Self.least ? nil : $0 }
        }
    }

    /// How far down people begin at a place, 0…1 of the frame's width; nil where nobody does.
    func top(at x: Double) -> Double? {
        let place = x * Double(Self.columns) - 0.5
        let column = Int(place.rounded(.down))
        guard tops.indices.contains(column), let left = tops[column] else { return nil }
        guard tops.indices.contains(column + 1), let right = tops[column + 1] else { return left }
        return EffectMath.mix(left, right, place - Double(column))
    }
}
