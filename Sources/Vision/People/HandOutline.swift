/// The place of a hand in a picture, for masks of people in which the hand is missing.
///
/// The mask model often takes a hand that is raised into the room for a part of it, while the landmark model sees its 21
/// landmarks. The outline is made of capsules: lines of a finger's or the palm's breadth along the bones.
package struct HandOutline: Sendable, Hashable {
    /// The 21 points in the order of MediaPipe's hand landmark model, in fractions of the upright picture.
    package let points: [SIMD2<Float>]
    /// The confidence that the points show a hand, 0…1.
    package let confidence: Float

    package init(points: [SIMD2<Float>], confidence: Float) {
        precondition(points.count == 21)
        (self.points, self.confidence) = (points, confidence)
    }

    /// A part of a hand: the line between two points, and half its breadth in units of the palm's length.
    private struct Bone {
        let first, last: Int
        let radius: Float

        init(_ first: Int, _ last: Int, _ radius: Float) {
            (self.first, self.last, self.radius) = (first, last, radius)
        }
    }

    // Half the breadth of fingers and palms beside the landmarks: rough proportions of an adult's hand, of which the palm is
    // some 90 mm long and a finger 18 mm broad. At the rim of the palm, the landmarks lie further inside.
    private static let bones: [Bone] =
        [(0, 1), (1, 2), (2, 3), (3, 4)].map { Bone($0, $1, 0.12) }
        + [(5, 6), (6, 7), (7, 8), (9, 10), (10, 11), (11, 12)].map { Bone($0, $1, 0.1) }
        + [(13, 14), (14, 15), (15, 16), (17, 18), (18, 19), (19, 20)].map { Bone($0, $1, 0.095) }
        + [(0, 5), (0, 9), (0, 13), (0, 17), (1, 5), (5, 9), (9, 13), (13, 17)].map { Bone($0, $1, 0.14) }
    /// The length of the piece of the forearm behind the wrist, and half its breadth. The points do not show in which
    /// direction the forearm continues, so the piece is short.
    private static let forearm: (length: Float, radius: Float) = (0.4, 0.27)
    /// The ratio of the palm's length to the distance between the outer knuckles: the median of 12,410 hands on
    /// photographs. It counts for hands that point at the camera.
    private static let lengthOverBreadth: Float = 1.34

    /// Raises the values of a mask to at least ``confidence`` · `strength` inside the hand.
    /// - Parameters:
    ///   - mask: `width · height` values, 0…1, of the upright picture.
    ///   - aspectRatio: the picture's width over its height.
    ///   - strength: 0…1.
    package func draw(on mask: inout [Float], width: Int, height: Int, aspectRatio: Double, strength: Float = 1) {
        precondition(mask.count == width * height)
        let value = confidence * strength
        guard value > 0 else { return }
        // One unit is the picture's height.
        let stretch = SIMD2(Float(aspectRatio), 1)
        let places = points.map { $0 * stretch }
        let (wrist, middle) = (places[0], places[9])
        let length = max(Self.length(middle - wrist), Self.lengthOverBreadth * Self.length(places[17] - places[5]))
        guard length > 0, length.isFinite else { return }
        let canvas = Canvas(width: width, height: height, cell: stretch / SIMD2(Float(width), Float(height)))
        for bone in Self.bones {
            canvas.draw(
                from: places[bone.first], to: places[bone.last], radius: bone.radius * length, value, on: &mask)
        }
        canvas.draw(
            from: wrist, to: wrist + (wrist - middle) * Self.forearm.length, radius: Self.forearm.radius * length,
            value, on: &mask)
    }

    private static func length(_ vector: SIMD2<Float>) -> Float { (vector * vector).sum().squareRoot() }

    /// A mask in units of the picture's height.
    private struct Canvas {
        let width, height: Int
        /// The size of a value's place.
        let cell: SIMD2<Float>

        /// Draws a line with round ends and soft edges.
        func draw(
            from first: SIMD2<Float>, to last: SIMD2<Float>, radius: Float, _ value: Float, on mask: inout [Float]
        ) {
            // The edge is as soft as the mask's resolution.
            let softness = 1.5 * cell.max()
            let reach = SIMD2(repeating: radius + softness / 2)
            let low = (pointwiseMin(first, last) - reach) / cell, high = (pointwiseMax(first, last) + reach) / cell
            let columns = Self.range(low.x, high.x, count: width), rows = Self.range(low.y, high.y, count: height)
            let along = last - first
            let squared = max((along * along).sum(), 1e-12)
            for row in rows {
                for column in columns {
                    let place = (SIMD2(Float(column), Float(row)) + 0.5) * cell - first
                    let share = max(0, min(1, (place * along).sum() / squared))
                    let distance = HandOutline.length(place - along * share)
                    let cover = max(0, min(1, (radius - distance) / softness + 0.5))
                    let index = row * width + column
                    mask[index] = max(mask[index], value * cover)
                }
            }
        }

        private static func range(_ low: Float, _ high: Float, count: Int) -> Range<Int> {
            let limit = Float(count)
            let first = Int(max(0, min(limit, low.rounded(.down))))
            return first..<max(first, Int(max(0, min(limit, high.rounded(.up)))))
        }
    }
}
