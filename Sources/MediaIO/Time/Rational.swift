internal import CFFmpeg

/// A fraction of two integers, such as a frame rate or the length of a tick.
package struct Rational: Sendable, Hashable {
    package var numerator: Int32
    package var denominator: Int32

    package init(_ numerator: Int32, _ denominator: Int32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The fraction as a number; 0 where the denominator is 0 (FFmpeg's "unknown").
    package var value: Double {
        denominator == 0 ? 0 : Double(numerator) / Double(denominator)
    }

    /// Whether both parts are above zero.
    package var isPositive: Bool { numerator > 0 && denominator > 0 }

    package var inverse: Rational { Rational(denominator, numerator) }

    init(_ rational: AVRational) {
        self.init(rational.num, rational.den)
    }

    var avRational: AVRational { AVRational(num: numerator, den: denominator) }
}

/// The length in seconds of one tick of a clock.
package typealias TimeBase = Rational
