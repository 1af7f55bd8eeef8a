package import Raster
package import Reactions

/// The ring beside a hand that fills while a gesture is held.
package struct HoldRing: Sendable, Hashable {
    /// The centre, in the upright picture.
    package var place: PicturePoint
    /// The radius as a fraction of the picture's height.
    package var radius: Double
    /// The filled share, 0…1.
    package var progress: Double

    /// The radius in palm lengths, and its limits as fractions of the picture's height.
    private static let size = 0.45, sizes = 0.022...0.06
    /// The distance from the middle of the hand to the ring's centre in palm lengths, and the least one at the picture's edge.
    private static let distance = 1.6, leastDistance = 1.2
    /// The free space between the ring and the picture's edges, in radii.
    private static let margin = 1.5

    /// Creates the ring of a hand.
    ///
    /// It is at the hand's outer side, where neither the face nor the other hand is.
    ///
    /// - Parameters:
    ///   - hand: The middle of the hand.
    ///   - palm: The palm's length as a fraction of the picture's width (`x`) and of its height (`y`).
    package init(beside hand: PicturePoint, palm: PicturePoint, progress: Double) {
        radius = min(max(Self.size * palm.y, Self.sizes.lowerBound), Self.sizes.upperBound)
        // A height in units of the width.
        let narrow = palm.y > 0 ? palm.x / palm.y : 1
        let (marginX, marginY) = (Self.margin * radius * narrow, Self.margin * radius)
        let side = hand.x < 0.5 ? -1.0 : 1.0
        func place(_ side: Double) -> Double {
            min(max(hand.x + side * Self.distance * palm.x, marginX), 1 - marginX)
        }
        var x = place(side)
        // A hand at the edge has no room beside it.
        if (x - hand.x).magnitude < Self.leastDistance * palm.x { x = place(-side) }
        self.place = PicturePoint(x: x, y: min(max(hand.y, marginY), 1 - marginY))
        self.progress = min(max(progress, 0), 1)
    }
}

/// Draws ``HoldRing``s, and keeps its canvas from picture to picture.
///
/// The same ring gives the same bytes. Used by one thread at a time.
package struct HoldRingPen: ~Copyable {
    private var canvas = BandCanvas(width: 0, height: 0)

    package init() {}

    /// The share of the hold in which the ring appears, so that a hand that only passes by shows none.
    private static let entrance = 0.1...0.25

    /// Draws rings on a picture.
    ///
    /// - Parameter isCalm: Whether rings have a fainter line that is as wide from the beginning to the end.
    package mutating func draw(
        _ rings: [HoldRing], on picture: inout MutablePicture, geometry: DisplayGeometry, isCalm: Bool
    ) {
        for ring in rings { draw(ring, on: &picture, geometry: geometry, isCalm: isCalm) }
    }

    private mutating func draw(
        _ ring: HoldRing, on picture: inout MutablePicture, geometry: DisplayGeometry, isCalm: Bool
    ) {
        let (first, last) = (Self.entrance.lowerBound, Self.entrance.upperBound)
        let opacity = EffectMath.smooth((ring.progress - first) / (last - first)) * (isCalm ? 0.7 : 1)
        guard opacity > 0 else { return }
        canvas.fit(picture.format)
        let unit = geometry.uprightHeight
        let radius = ring.radius * unit
        // Thin, but never below what video coding at low rates keeps.
        let width = max(radius * 0.18, 2)
        let centre = AffineTransform.translation(
            x: ring.place.x * geometry.uprightWidth, y: ring.place.y * unit
        ).then(geometry.uprightToStored)
        // A dark track keeps the line visible on bright walls. On white, it has a contrast of 3:1 to the wall and to the
        // line, also if it is fainter.
        canvas.drawArc(
            radius: radius, width: width * 2.1, share: 1, at: centre, BandColour(.black, opacity: 0.7 * opacity))
        canvas.drawArc(
            radius: radius, width: isCalm ? width : width * (1 + 0.25 * ring.progress), share: ring.progress,
            at: centre, BandColour(.white, opacity: opacity))
        canvas.blend(into: &picture)
    }
}

extension BandCanvas {
    /// Draws a part of a circular line, clockwise from the top.
    ///
    /// - Parameters:
    ///   - share: The share of the whole circle, 0…1.
    ///   - centre: The transform from pixels around the circle's centre to stored pixels.
    package mutating func drawArc(
        radius: Double, width: Double, share: Double, at centre: AffineTransform, _ colour: BandColour
    ) {
        // The shape is symmetric about its u axis, which is rotated to the middle of the part.
        let half = share / 2, middle = half - 0.25
        let reach = radius + width / 2 + 0.5
        draw(
            .arc(
                radius: Float(radius), halfWidth: Float(width / 2), sine: Float(EffectMath.sine(turns: half)),
                cosine: Float(EffectMath.cosine(turns: half))),
            placed: AffineTransform.scale(x: reach, y: reach)
                .then(
                    .rotation(
                        cosine: EffectMath.cosine(turns: middle), sine: EffectMath.sine(turns: middle))
                )
                .then(centre),
            colour: colour)
    }
}
