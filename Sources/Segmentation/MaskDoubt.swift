/// Remembers what the model does not find a second time: furniture, mostly.
///
/// The model is as sure of some cushions, chairs and glasses beside a body as of the body. But shown the same picture
/// mirrored and brighter it often denies them, and hardly ever the body. So it is asked again every few seconds, and
/// what two such looks in a row deny does not count as people, for as long as nothing moves there: a hand
/// that the model lost once, or that is held in front of a chair, stays.
///
/// Stillness alone tells furniture from people no better than a coin: sleeves, elbows and listeners rest, too
/// (docs/notes/effects.md).
struct MaskDoubt: Sendable {
    /// Seconds between the first two second looks, and to the next ones: where something is in doubt, and where nothing is.
    static let intervals: (first: Double, doubtful: Double, sure: Double) = (0.4, 1, 3)
    /// A change of luma (0…1) since the second look up to the first is none, from the second on it is motion.
    static let motion: (none: Float, full: Float) = (0.02, 0.06)

    /// The share of the picture that must be denied to be worth the work: the rim of people always is in part.
    private static let leastShare: Float = 0.001

    /// How many second looks there were since it began anew; beyond two it does not matter how many.
    private var lookCount = 0
    /// Whether anything is in doubt, or may be after the next second look.
    private var hasDoubt = false
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
        hasDoubt = false
        lastLook = nil
    }

    /// Whether it is time for a second look at the frame at `time` (seconds).
    /// - Parameter stretch: by how much looks are further apart than usual.
    func isDue(at time: Double, stretch: Double) -> Bool {
        guard let lastLook else { return true }
        let later = hasDoubt ? Self.intervals.doubtful : Self.intervals.sure
        return time - lastLook >= (lookCount < 2 ? Self.intervals.first : later) * stretch
    }

    /// Notes a second look.
    /// - Parameters:
    ///   - second: what the model said at the second look, 0…1.
    ///   - first: what it said of the same picture before.
    ///   - guide: that picture's luma, 0…1, which ``confidence(_:guide:into:)`` was called with last.
    ///   - time: the frame's time in seconds.
    mutating func note(_ second: [Float], after first: [Float], guide: [Float], at time: Double) {
        let count = Self.compare(second, first, stillness, isFirst: lookCount == 0, denied: &denied, doubt: &doubt)
        Self.begin(guide, guideThen: &guideThen, stillness: &stillness)
        hasDoubt = count > Self.leastShare * Float(denied.count)
        lastLook = time
        lookCount = min(lookCount + 1, 2)
    }

    /// What counts as people of what the model says.
    /// - Parameters:
    ///   - confidence: what the model says, 0…1.
    ///   - guide: the picture's luma at the same places, 0…1.
    ///   - result: the confidence without what is in doubt, 0…1.
    mutating func confidence(_ confidence: [Float], guide: [Float], into result: inout [Float]) {
        guard hasDoubt else {
            Self.copy(confidence, into: &result)
            return
        }
        Self.measureChange(from: guideThen, to: guide, into: &change)
        box.smooth(&change)
        Self.withdraw(doubt, change, confidence, stillness: &stillness, into: &result)
    }

    private static func copy(_ source: [Float], into target: inout [Float]) {
        let source = source.span
        var target = target.mutableSpan
        for i in 0..<target.count { target[i] = source[i] }
    }

    /// - Returns: how many places were denied now.
    private static func compare(
        _ second: [Float], _ first: [Float], _ stillness: [Float], isFirst: Bool, denied: inout [Float],
        doubt: inout [Float]
    ) -> Float {
        let second = second.span, first = first.span, stillness = stillness.span
        var denied = denied.mutableSpan, doubt = doubt.mutableSpan
        var count: Float = 0
        for i in 0..<denied.count {
            let now = min(second[i] - first[i], 0)
            doubt[i] = isFirst ? 0 : max(now, denied[i] * stillness[i])
            denied[i] = now
            count += now < -0.5 ? 1 : 0
        }
        return count
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
        _ doubt: [Float], _ change: [Float], _ confidence: [Float], stillness: inout [Float], into result: inout [Float]
    ) {
        let doubt = doubt.span, change = change.span, confidence = confidence.span
        var stillness = stillness.mutableSpan, result = result.mutableSpan
        let scale = 1 / (motion.full - motion.none)
        for i in 0..<result.count {
            let rest = min(stillness[i], max(0, min(1, (motion.full - change[i]) * scale)))
            stillness[i] = rest
            result[i] = max(0, confidence[i] + rest * doubt[i])
        }
    }
}
