/// Remembers what the model does not find a second time: furniture, mostly.
///
/// The model is as sure of some cushions, chairs and glasses beside a body as of the body. But shown the same picture
/// mirrored and brighter it often denies them, and hardly ever the body. So it is asked again about once a second, and
/// what two such looks in a row deny does not count as people, for as long as nothing moves there: a hand
/// that the model lost once, or that is held in front of a chair, stays.
///
/// Stillness alone tells furniture from people no better than a coin: sleeves, elbows and listeners rest, too
/// (docs/notes/effects.md).
struct MaskDoubt: Sendable {
    /// Seconds between the first two second looks, and between later ones.
    static let intervals: (first: Double, later: Double) = (0.4, 1)
    /// A change of luma (0…1) since the second look up to the first is none, from the second on it is motion.
    static let motion: (none: Float, full: Float) = (0.02, 0.06)

    /// How many second looks there were since it began anew; beyond two it does not matter how many.
    private var lookCount = 0
    private var lastLook: Double?
    /// What the last second look denied, and what the last two denied: −1…0, to be added to the confidence.
    private var denied, doubt: [Float]
    /// How surely nothing moved since the last second look, 0…1.
    private var stillness: [Float]
    private var guideThen: [Float]
    private var change: [Float]
    private var box: BoxFilter

    init(width: Int, height: Int) {
        denied = [Float](repeating: 0, count: width * height)
        doubt = denied
        stillness = denied
        guideThen = denied
        change = denied
        box = BoxFilter(width: width, height: height, radius: 2)
    }

    /// Begins anew.
    mutating func forget() {
        lookCount = 0
        lastLook = nil
    }

    /// Whether it is time for a second look at the frame at `time` (seconds).
    /// - Parameter stretch: by how much looks are further apart than usual.
    func isDue(at time: Double, stretch: Double) -> Bool {
        guard let lastLook else { return true }
        return time - lastLook >= (lookCount < 2 ? Self.intervals.first : Self.intervals.later) * stretch
    }

    /// Notes a second look.
    /// - Parameters:
    ///   - second: what the model said at the second look, 0…1.
    ///   - first: what it said of the same picture before.
    ///   - guide: that picture's luma, 0…1, which ``confidence(_:guide:into:)`` was called with last.
    ///   - time: the frame's time in seconds.
    mutating func note(_ second: [Float], after first: [Float], guide: [Float], at time: Double) {
        Self.compare(second, first, stillness, isFirst: lookCount == 0, denied: &denied, doubt: &doubt)
        Self.begin(guide, guideThen: &guideThen, stillness: &stillness)
        lastLook = time
        lookCount = min(lookCount + 1, 2)
    }

    /// What counts as people of what the model says.
    /// - Parameters:
    ///   - confidence: what the model says, 0…1.
    ///   - guide: the picture's luma at the same places, 0…1.
    ///   - result: the confidence without what is in doubt, 0…1.
    mutating func confidence(_ confidence: [Float], guide: [Float], into result: inout [Float]) {
        if lookCount > 0 {
            Self.measureChange(from: guideThen, to: guide, into: &change)
            box.smooth(&change)
        }
        Self.withdraw(lookCount == 2, doubt, change, confidence, stillness: &stillness, into: &result)
    }

    private static func compare(
        _ second: [Float], _ first: [Float], _ stillness: [Float], isFirst: Bool, denied: inout [Float],
        doubt: inout [Float]
    ) {
        let second = second.span, first = first.span, stillness = stillness.span
        var denied = denied.mutableSpan, doubt = doubt.mutableSpan
        for i in 0..<denied.count {
            let now = min(second[i] - first[i], 0)
            doubt[i] = isFirst ? 0 : max(now, denied[i] * stillness[i])
            denied[i] = now
        }
    }

    private static func begin(_ guide: [Float], guideThen: inout [Float], stillness: inout [Float]) {
        let guide = guide.span
        var guideThen = guideThen.mutableSpan, stillness = stillness.mutableSpan
        for i in 0..<guideThen.count {
            guideThen[i] = guide[i]
            stillness[i] = 1
        }
    }

    private static func measureChange(from last: [Float], to guide: [Float], into change: inout [Float]) {
        let last = last.span, guide = guide.span
        var change = change.mutableSpan
        for i in 0..<change.count { change[i] = (guide[i] - last[i]).magnitude }
    }

    private static func withdraw(
        _ isSure: Bool, _ doubt: [Float], _ change: [Float], _ confidence: [Float], stillness: inout [Float],
        into result: inout [Float]
    ) {
        let doubt = doubt.span, change = change.span, confidence = confidence.span
        var stillness = stillness.mutableSpan, result = result.mutableSpan
        let scale = 1 / (motion.full - motion.none)
        let weight: Float = isSure ? 1 : 0
        for i in 0..<result.count {
            let rest = min(stillness[i], max(0, min(1, (motion.full - change[i]) * scale)))
            stillness[i] = rest
            result[i] = max(0, confidence[i] + weight * rest * doubt[i])
        }
    }
}
