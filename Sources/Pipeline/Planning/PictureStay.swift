import Reactions

/// The interval for which one picture is on screen, in seconds, and the rule for effects on pictures that last long.
///
/// Effects are drawn on pictures, so an effect neither starts nor ends while a picture is shown. In a recording of a
/// screen, one picture may last for a minute. An effect that would end much later than its own time, or start much
/// later than its request, is not shown.
package struct PictureStay: Sendable, Hashable {
    var start: Double
    /// The time at which the next picture is shown, or the end of the video.
    var end: Double

    /// The time, in seconds, by which an effect may end too late. Usual variable frame rates stay below it.
    static let tolerance = 0.6
    /// The time, in seconds, by which an effect may start too late. A video of one picture a second has effects.
    private static let delay = 1.0

    /// Returns whether the picture is shown for too long after the end of an effect.
    func outlasts(_ end: Double) -> Bool { self.end > end + Self.tolerance }

    /// Returns whether an effect is requested within the picture's interval, and would start too late with the picture
    /// that follows.
    func delays(_ time: Double) -> Bool { start <= time && end > time + Self.delay + 0.001 }

    /// Returns whether the picture stands at a time at which no effect can start, since no picture follows.
    func hides(_ time: Double) -> Bool { start <= time && time < end && end > start + Self.tolerance }

    /// Returns the reason why an effect is not shown.
    ///
    /// - Parameter first: The time of the video's first picture, from which the times in the reason are counted.
    func reason(since first: Double) -> String {
        func seconds(_ time: Double) -> Double { JSONLine.rounded(time - first, places: 3) }
        return "one picture stands from \(seconds(start)) s to \(seconds(end)) s"
    }
}

/// An effect in progress that ends before its time, because the next picture stands far beyond it.
struct ShortenedEffect: Sendable, Hashable {
    /// The effect, with the end that it would have had.
    var effect: PlannedEffect
    var stay: PictureStay

    /// Returns the warning about the effect.
    ///
    /// - Parameter first: The time of the video's first picture.
    func warning(since first: Double) -> PipelineWarning {
        let start = JSONLine.rounded(effect.startTime - first, places: 3)
        let end = JSONLine.rounded(stay.start - first, places: 3)
        return PipelineWarning(
            code: .reactionNotShown,
            message: "\(effect.reactionType) at \(start) s was shown until \(end) s only: \(stay.reason(since: first))")
    }
}
