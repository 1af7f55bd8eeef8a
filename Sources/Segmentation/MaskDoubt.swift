/// Remembers what a second opinion denies of the mask: furniture, mostly.
///
/// The model is as sure of some cushions, chairs and glasses beside a body as of the body. But shown the same picture
/// mirrored and brighter it often denies them, and hardly ever the body; and the model of poses denies chairs that no
/// body fills (``PoseDenial``). So both are asked every few seconds, and what one of them denies twice in a row does
/// not count as people, for as long as nothing moves there: a hand that was lost once, or that is held in front of a
/// chair, stays.
///
/// Stillness alone tells furniture from people no better than a coin: sleeves, elbows and listeners rest, too
/// (docs/notes/effects.md).
struct MaskDoubt: Sendable {
    /// Whose opinion it is.
    enum Source: Sendable {
        /// The same model's, at another look.
        case secondLook
        /// That of who knows where bodies are.
        case bodies

        /// Seconds between the first two opinions, and to the next ones: where something is in doubt, and where nothing is.
        var intervals: (first: Double, doubtful: Double, sure: Double) {
            switch self {
            case .secondLook: (0.4, 1, 3)
            case .bodies: (0.2, 0.5, 2)
            }
        }

        /// Whether what moved between two opinions may be what both deny: who sees bodies sees the hand that came.
        var seesWhatMoves: Bool { self == .bodies }
    }

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

    private let source: Source

    init(_ source: Source, width: Int, height: Int) {
        self.source = source
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
        let intervals = source.intervals
        let later = hasDoubt ? intervals.doubtful : intervals.sure
        return time - lastLook >= (lookCount < 2 ? intervals.first : later) * stretch
    }

    /// Notes a second opinion.
    /// - Parameters:
    ///   - denial: what it denies of the confidence, −1…0.
    ///   - guide: the picture's luma, 0…1.
    ///   - time: the frame's time in seconds.
    mutating func note(_ denial: [Float], guide: [Float], at time: Double) {
        if source.seesWhatMoves { Self.fill(&stillness) }
        let count = Self.compare(denial, stillness, isFirst: lookCount == 0, denied: &denied, doubt: &doubt)
        Self.begin(guide, guideThen: &guideThen, stillness: &stillness)
        hasDoubt = count > Self.leastShare * Float(denied.count)
        lastLook = time
        lookCount = min(lookCount + 1, 2)
    }

    /// Takes what is in doubt out of what counts as people.
    /// - Parameters:
    ///   - confidence: what the model says, 0…1.
    ///   - guide: the picture's luma at the same places, 0…1.
    ///   - result: what counts of it so far, 0…1; it gets no more.
    mutating func withdraw(from confidence: [Float], guide: [Float], into result: inout [Float]) {
        guard hasDoubt else { return }
        Self.measureChange(from: guideThen, to: guide, into: &change)
        box.smooth(&change)
        Self.withdraw(doubt, change, confidence, stillness: &stillness, into: &result)
    }

    /// - Returns: how many places were denied now.
    private static func compare(
        _ denial: [Float], _ stillness: [Float], isFirst: Bool, denied: inout [Float], doubt: inout [Float]
    ) -> Float {
        let denial = denial.span, stillness = stillness.span
        var denied = denied.mutableSpan, doubt = doubt.mutableSpan
        var count: Float = 0
        for i in 0..<denied.count {
            let now = denial[i]
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

    private static func fill(_ stillness: inout [Float]) {
        var stillness = stillness.mutableSpan
        for i in 0..<stillness.count { stillness[i] = 1 }
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
            result[i] = min(result[i], max(0, confidence[i] + rest * doubt[i]))
        }
    }
}

extension [Float] {
    /// Takes other values over into the memory that it has: assigned, both would share theirs until one of them changes, and
    /// that one would need more.
    mutating func refill(from source: [Float]) {
        guard count == source.count else {
            self = Array(source.indices.map { source[$0] })
            return
        }
        let source = source.span
        var target = mutableSpan
        for index in 0..<target.count { target[index] = source[index] }
    }
}
