import Effects
package import MediaIO
import Raster
package import Reactions
import Vision

/// Chooses the origins of effects so that faces are not covered.
///
/// Only effects that draw a figure at their origin are moved. Faces are detected in the frame at which the effect
/// starts. Without the model, effects start at the place of their description or gesture, and a warning is emitted.
///
/// Used by one thread at a time.
package final class EffectPlacer {
    private let catalog: EffectCatalog
    private let finder: FaceFinder
    private var warning = WarnOnce()

    package init(catalog: EffectCatalog, finder: FaceFinder) {
        self.catalog = catalog
        self.finder = finder
    }

    /// Returns the place of an effect that starts with a frame.
    ///
    /// - Parameters:
    ///   - hand: The place of the hand that requests the effect, which must not be covered either; `nil` if the request
    ///     has no gesture, or one of two hands.
    ///   - preset: The place at which the effect starts if no face is near.
    package func origin(
        of type: ReactionType, hand: PicturePoint?, preset: PicturePoint, on frame: borrowing VideoFrame
    ) -> PicturePoint {
        guard let footprint = catalog.library.descriptions[type.rawValue]?.footprint else { return preset }
        let choice = PlaceChoice(
            footprint: footprint, aspectRatio: frame.geometry.aspectRatio, faces: finder.facesOfAnySize(in: frame),
            hand: hand)
        warning.note(finder.warning("effects may cover faces"))
        return choice.best(near: preset)
    }

    /// Returns the warning of a failure, but only on the first call.
    func takeWarning() -> PipelineWarning? { warning.take() }
}

/// Rates places for an effect's figure. Lengths are in heights of the frame.
struct PlaceChoice {
    let footprint: EffectFootprint
    let aspectRatio: Double
    let faces: [Rectangle]
    let hand: PicturePoint?

    /// Places are tried in steps of this share of the picture.
    private static let step = 0.04
    /// The radius of a hand at the distance of a webcam, approximately.
    private static let handRadius = 0.09

    /// Returns the preset if the figure covers neither a face nor the hand there; otherwise the best place.
    func best(near preset: PicturePoint) -> PicturePoint {
        if cover(at: preset) < 0.01 { return preset }
        var best = (place: preset, cost: cost(of: preset, near: preset))
        for row in 0...Int(1 / Self.step) {
            for column in 0...Int(1 / Self.step) {
                let place = PicturePoint(x: Double(column) * Self.step, y: Double(row) * Self.step)
                let cost = cost(of: place, near: preset)
                if cost < best.cost - 1e-9 { best = (place, cost) }
            }
        }
        return best.place
    }

    /// Returns the cost of a place. Covering a face costs far more than any distance from the preset.
    private func cost(of place: PicturePoint, near preset: PicturePoint) -> Double {
        let now = centre(place), wanted = centre(preset)
        let dx = now.x - wanted.x, dy = now.y - wanted.y
        let edge = outside(now)
        return 12 * cover(at: place) + (dx * dx + dy * dy).squareRoot() + 8 * edge
    }

    private func centre(_ place: PicturePoint) -> (x: Double, y: Double) {
        footprint.centre(originX: place.x, originY: place.y, aspectRatio: aspectRatio)
    }

    /// Returns the extent of the figure beyond the frame at its start.
    private func outside(_ centre: (x: Double, y: Double)) -> Double {
        let r = footprint.halves(aspectRatio: aspectRatio)
        return max(0, r.width - centre.x) + max(0, centre.x + r.width - aspectRatio) + max(0, r.height - centre.y)
            + max(0, centre.y + r.height - 1)
    }

    /// Returns the sum of the shares that the figure covers: 0…1 of each face, and half the share of the hand.
    private func cover(at place: PicturePoint) -> Double {
        let centre = centre(place), r = footprint.halves(aspectRatio: aspectRatio)
        let (left, right, bottom) = (centre.x - r.width, centre.x + r.width, centre.y + r.height)
        var sum = 0.0
        for face in faces {
            let head = face.head
            sum += Self.shared(
                (left, right, centre.y - r.height - footprint.rise, bottom),
                (head.left * aspectRatio, head.right * aspectRatio, head.top, head.bottom))
        }
        if let hand {
            let x = hand.x * aspectRatio, h = Self.handRadius
            sum +=
                0.5
                * Self.shared(
                    (left, right, centre.y - r.height, bottom), (x - h, x + h, hand.y - h, hand.y + h))
        }
        return sum
    }

    private typealias Box = (left: Double, right: Double, top: Double, bottom: Double)

    /// Returns the share of the second box that is within the first.
    private static func shared(_ a: Box, _ b: Box) -> Double {
        let width = min(a.right, b.right) - max(a.left, b.left)
        let height = min(a.bottom, b.bottom) - max(a.top, b.top)
        guard width > 0, height > 0 else { return 0 }
        return width * height / max((b.right - b.left) * (b.bottom - b.top), 1e-9)
    }
}
