/// Tracks the parts of a mask that a check after the first inference rejects: mostly furniture. ``PersonMask`` uses one
/// for each ``Source``.
///
/// The model's confidence for some cushions, chairs and glasses next to a body equals its confidence for the body. If
/// the same picture is mirrored and brightened, the model often rejects such objects, but hardly ever the body. The
/// pose model rejects parts of chairs that no body covers (``PoseDenial``). So both checks run every few seconds. A
/// part that the same check rejects twice in a row is removed from the people as long as it is still. So a hand that
/// was missed once, or that is raised in front of a chair, is kept.
///
/// Stillness alone does not separate furniture from people: sleeves, elbows and listeners rest, too
/// (docs/notes/person-masks.md).
struct MaskDoubt: Sendable {
    /// The check that rejects parts of the mask.
    enum Source: Sendable {
        /// A second inference of the mask model, on a mirrored and brightened picture.
        case secondInference
        /// The pose model, which detects bodies.
        case bodies

        /// The minimum seconds between the first two checks, and between later checks with and without parts in doubt.
        var intervals: (first: Double, doubtful: Double, sure: Double) {
            switch self {
            case .secondInference: (0.4, 1, 3)
            case .bodies: (0.2, 0.5, 2)
            }
        }

        /// True if a part that moved between two checks may be rejected. Only the pose model may reject moving parts,
        /// because it also detects a hand that has just appeared.
        var seesWhatMoves: Bool { self == .bodies }
    }

    /// The changes of luma (0…1) since the last check up to which a place is still (`none`), and from which it moves
    /// (`full`).
    static let motion: (none: Float, full: Float) = (0.02, 0.06)

    /// The minimum share of the picture that must be rejected for any doubt, because every check rejects some pixels
    /// along people's outline.
    private static let minimumShare: Float = 0.001

    /// The number of checks since the last reset, limited to two.
    private var inferenceCount = 0
    /// True if any part is in doubt, or may be after the next check.
    private var hasDoubt = false
    private var lastInference: Double?
    /// The part of the confidence that the last check rejects, and the part that the last two checks reject; both −1…0.
    private var denied, doubt: [Float]
    /// The degree to which each place has been still since the last check, 0…1.
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

    /// Resets the state.
    mutating func forget() {
        inferenceCount = 0
        hasDoubt = false
        lastInference = nil
    }

    /// Returns whether a check of the frame at `time` (seconds) is due.
    /// - Parameter intervalScale: The factor by which intervals are longer than usual; above 1 to save time.
    func isDue(at time: Double, intervalScale: Double) -> Bool {
        guard let lastInference else { return true }
        let intervals = source.intervals
        let later = hasDoubt ? intervals.doubtful : intervals.sure
        return time - lastInference >= (inferenceCount < 2 ? intervals.first : later) * intervalScale
    }

    /// Records a check.
    /// - Parameters:
    ///   - denial: The rejected part of the confidence, −1…0.
    ///   - guide: The picture's luma, 0…1.
    ///   - time: The frame's time in seconds.
    mutating func record(_ denial: [Float], guide: [Float], at time: Double) {
        if source.seesWhatMoves { Self.fill(&stillness) }
        let count = Self.compare(denial, stillness, isFirst: inferenceCount == 0, denied: &denied, doubt: &doubt)
        Self.begin(guide, guideThen: &guideThen, stillness: &stillness)
        hasDoubt = count > Self.minimumShare * Float(denied.count)
        lastInference = time
        inferenceCount = min(inferenceCount + 1, 2)
    }

    /// Removes the parts in doubt from the people.
    /// - Parameters:
    ///   - confidence: The model's confidence, 0…1.
    ///   - guide: The picture's luma at the same places, 0…1.
    ///   - result: The confidence that counts, 0…1; values are only reduced.
    mutating func withdraw(from confidence: [Float], guide: [Float], into result: inout [Float]) {
        guard hasDoubt else { return }
        box.measureChange(from: guideThen, to: guide, into: &change)
        Self.withdraw(doubt, change, confidence, stillness: &stillness, into: &result)
    }

    /// - Returns: The number of places that this check rejects.
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
    /// Copies other values into the existing memory. An assignment would share the other array's memory, and the next
    /// change would allocate a copy.
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
