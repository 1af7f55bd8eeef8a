internal import CFFmpeg

/// A fraction of two integers, such as a frame rate or the length of a tick.
package struct Rational: Sendable, Hashable {
    package var numerator: Int32
    package var denominator: Int32

    package init(_ numerator: Int32, _ denominator: Int32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// The fraction as a number; 0 if the denominator is 0 (FFmpeg's "unknown").
    package var value: Double {
        denominator == 0 ? 0 : Double(numerator) / Double(denominator)
    }

    /// True if both parts are above zero.
    package var isPositive: Bool { numerator > 0 && denominator > 0 }

    package var inverse: Rational { Rational(denominator, numerator) }

    init(_ rational: AVRational) {
        self.init(rational.num, rational.den)
    }

    var avRational: AVRational { AVRational(num: numerator, den: denominator) }
}

/// The length in seconds of one tick of a clock.
package typealias TimeBase = Rational

/// An instant of a recording, or a duration: a whole number of ticks.
///
/// Times keep the ticks of their stream, so that they are not rounded in the pipeline. They compare exactly across time
/// bases.
package struct MediaTime: Sendable, Comparable, Hashable, CustomStringConvertible {
    /// The number of ticks.
    package var value: Int64
    /// Seconds per tick; both parts are above zero.
    package var timeBase: TimeBase

    /// - Precondition: `timeBase.isPositive`.
    package init(value: Int64, timeBase: TimeBase) {
        precondition(timeBase.isPositive)
        self.value = value
        self.timeBase = timeBase
    }

    /// Creates the time nearest to a finite number of seconds, in ticks of a microsecond. It is clamped to about
    /// 126,000 years from 0.
    package init(seconds: Double) {
        let ticks = min(max(seconds * 1_000_000, -4e18), 4e18)
        self.init(value: Int64(ticks.rounded()), timeBase: Rational(1, 1_000_000))
    }

    package static let zero = MediaTime(value: 0, timeBase: Rational(1, 1_000_000))

    package var seconds: Double {
        Double(value) * Double(timeBase.numerator) / Double(timeBase.denominator)
    }

    /// Returns the same time in other ticks, rounded to the nearest; halves are rounded away from zero.
    ///
    /// `av_rescale_q`
    package func rescaled(to other: TimeBase) -> MediaTime {
        guard other != timeBase else { return self }
        let ticks = av_rescale_q(value, timeBase.avRational, other.avRational)
        return MediaTime(value: ticks, timeBase: other)
    }

    package static func == (a: MediaTime, b: MediaTime) -> Bool {
        av_compare_ts(a.value, a.timeBase.avRational, b.value, b.timeBase.avRational) == 0
    }

    package static func < (a: MediaTime, b: MediaTime) -> Bool {
        a.timeBase == b.timeBase
            ? a.value < b.value : av_compare_ts(a.value, a.timeBase.avRational, b.value, b.timeBase.avRational) < 0
    }

    /// Hashes equal times alike, whatever their ticks are.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(seconds)
    }

    /// Adds two times. The sum is exact if their ticks are the same, and otherwise in the finer ticks.
    package static func + (a: MediaTime, b: MediaTime) -> MediaTime {
        let base = a.timeBase.value <= b.timeBase.value ? a.timeBase : b.timeBase
        return MediaTime(
            value: a.rescaled(to: base).value &+ b.rescaled(to: base).value, timeBase: base)
    }

    package static func - (a: MediaTime, b: MediaTime) -> MediaTime {
        a + MediaTime(value: 0 &- b.value, timeBase: b.timeBase)
    }

    package var description: String { "\(value)×\(timeBase.numerator)/\(timeBase.denominator)s" }
}
