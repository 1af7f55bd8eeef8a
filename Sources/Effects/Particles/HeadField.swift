/// A head in the picture, from which figures and pieces of an effect move aside. `HeadFollower` of Pipeline measures it.
///
/// Places and sizes are fractions of the upright picture's width and height.
package struct EffectHead: Sendable, Hashable {
    package var x, y, halfWidth, halfHeight: Double
    /// The movement of the head since it was first seen.
    package var movedX = 0.0, movedY = 0.0
    /// The share of the head's influence, 0…1. It rises and falls gradually when a head comes and goes.
    package var weight = 1.0

    package init(x: Double, y: Double, halfWidth: Double, halfHeight: Double) {
        (self.x, self.y, self.halfWidth, self.halfHeight) = (x, y, halfWidth, halfHeight)
    }
}

/// The displacement by which heads push other things aside. Lengths are in heights of the frame.
///
/// The displacement is horizontal, and continuous in all places: what rises past a head flows around it.
struct HeadField {
    private let heads: [EffectHead]

    init(_ heads: [EffectHead], aspectRatio: Double) {
        self.heads = heads.map { head in
            var head = head
            (head.x, head.halfWidth, head.movedX) =
                (head.x * aspectRatio, head.halfWidth * aspectRatio, head.movedX * aspectRatio)
            return head
        }
    }

    var isEmpty: Bool { heads.isEmpty }

    /// The height of the displaced area, in heights of the head and the figure. Above 1, figures begin to move before
    /// they meet the head.
    private static let reach = 1.35
    /// The width around the middle of a head in which figures are not fully displaced, as a share of the displacement.
    /// It keeps the displacement continuous.
    private static let seam = 0.08

    /// Returns the place of a figure with half of this width and height after it has moved aside.
    func aside(_ place: (x: Double, y: Double), half: (x: Double, y: Double)) -> (x: Double, y: Double) {
        var place = place
        for head in heads {
            let across = (place.y - head.y) / (Self.reach * (head.halfHeight + half.y))
            let share = EffectMath.smooth(1.25 * (1 - across * across))
            guard share > 0, head.weight > 0 else { continue }
            let width = (head.halfWidth + half.x) * share * head.weight
            let dx = place.x - head.x
            // The fourth root of dx⁴ + width⁴, whose influence ends soon beside the head.
            let near = Self.seam * width
            func fourth(_ x: Double) -> Double { x * x * x * x }
            let factor = (1 + fourth(width) / max(fourth(dx) + fourth(near), 1e-12)).squareRoot().squareRoot()
            place.x = head.x + dx * factor
        }
        return place
    }

    /// Returns the displacement of the effect's figure: it follows the nearest head's movement, and moves aside from all
    /// heads.
    func shift(of instance: EffectInstance, aspectRatio: Double) -> (x: Double, y: Double) {
        guard !heads.isEmpty, let footprint = instance.description.footprint else { return (0, 0) }
        let start = footprint.centre(originX: instance.originX, originY: instance.originY, aspectRatio: aspectRatio)
        func distance(_ head: EffectHead) -> Double {
            let (dx, dy) = (head.x - head.movedX - start.x, head.y - head.movedY - start.y)
            return dx * dx + dy * dy
        }
        guard let nearest = heads.min(by: { distance($0) < distance($1) }) else { return (0, 0) }
        let half = footprint.halves(aspectRatio: aspectRatio)
        let place = aside(
            (start.x + nearest.movedX * nearest.weight, start.y + nearest.movedY * nearest.weight),
            half: (half.width, half.height))
        return (place.x - start.x, place.y - start.y)
    }
}
