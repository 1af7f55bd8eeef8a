import HandPose
import Platform

/// What speaks for two hands being one person's, and what against it.
///
/// Every piece is the logarithm of how much likelier it is with one person than with two, so that
/// they add up: hands that are far apart may be one person's if they are a right and a left one on
/// their own sides, and two right hands only if they are near. With a hard limit for each piece instead
/// (9 palm lengths across, 4 down, sizes up to 0.55, never two right hands), no hands that were
/// 9 to 14 palm lengths apart were a pair.
struct PairEvidence: Sendable {
    private let a: HandLandmarks, b: HandLandmarks
    private let first: HandShape, second: HandShape

    init(_ a: HandLandmarks, _ b: HandLandmarks) {
        (self.a, self.b) = (a, b)
        (first, second) = (HandShape(a), HandShape(b))
    }

    /// More than 0 where one person is likelier.
    var sum: Double { nearness + level + likeness + handedness }

    /// From the first hand's centre to the second's on the screen, in their mean palm length: some 9 cm.
    private var offset: SIMD2<Double> {
        screen(second.centre - first.centre) / ((first.palmLength + second.palmLength) / 2)
    }

    /// How far apart the hands' centres are, in palm lengths.
    var distance: Double { norm(offset) }

    /// How much higher one of them is, in palm lengths.
    var height: Double { abs(offset.y) }

    /// Shoulders are 5 palm lengths apart, heads of people side by side 6 to 9, and hands at the ends of
    /// outstretched arms 15 or more, which few people do to show a gesture.
    private var nearness: Double {
        let across = abs(offset.x)
        return 0.8 + 0.8 * max(0, 3 - distance) - 0.15 * max(0, across - 5) - max(0, across - 14)
    }

    /// One person mostly raises both hands to similar heights.
    private var level: Double { -0.4 * max(0, height - 2) }

    /// Of two hands of a person one is rarely twice as near: logarithms of the ratio of sizes are taken to scatter by
    /// 0.28, those of two people's by 0.5.
    private var likeness: Double {
        let ratio = log(first.palmLength / second.palmLength)
        let (one, two) = (0.28, 0.5)
        return log(two / one) - ratio * ratio * (1 / (one * one) - 1 / (two * two)) / 2
    }

    /// Seen from the front, a person's right hand is on the left of the picture. Of two people
    /// each raises the hand that they like, mostly the one that the other raises.
    private var handedness: Double {
        let (left, right) = offset.x > 0 ? (a, b) : (b, a)
        let own = Self.handedness(Self.rightness(of: left), Self.rightness(of: right))
        // Hands one above the other may cross.
        guard abs(offset.x) < 1 else { return own }
        return max(own, Self.handedness(Self.rightness(of: right), Self.rightness(of: left)))
    }

    /// - Parameters:
    ///   - left: how likely the hand on the left of the picture is a right one.
    ///   - right: how likely the hand on the right of the picture is.
    private static func handedness(_ left: Double, _ right: Double) -> Double {
        let one = left * (1 - right)
        let alike = left * right + (1 - left) * (1 - right)
        let two = 0.35 * alike + 0.15 * (1 - alike)
        return log(one / two)
    }

    /// How likely a hand is a right one. The model is too sure of itself, and of a hand that is seen from the side it
    /// knows nothing.
    private static func rightness(of hand: HandLandmarks) -> Double {
        let shape = HandShape(hand)
        let index = screen(shape[.indexMCP] - shape[.wrist]), little = screen(shape[.littleMCP] - shape[.wrist])
        let palm = abs(index.x * little.y - index.y * little.x) / (shape.palmLength * shape.palmLength)
        let certainty = 0.94 * (hand.handednessConfidence - 0.5) * rising(palm, 0.05, 0.25)
        return hand.handedness == .right ? 0.5 + certainty : 0.5 - certainty
    }
}
