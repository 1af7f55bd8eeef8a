import Platform

/// Filters the mask model's confidence in time. ``PersonMask`` owns it.
///
/// Each place of the mask approaches the model's value exponentially, at its own rate. The rate is high where the
/// picture moves, low where it is still, and even lower where the model has little confidence. Rates are given in media
/// time, so that videos of 25 and of 60 frames a second give similar results.
struct MaskTracker: Sendable {
    /// The time constants in seconds of a moving and of a still place.
    static let movingTime: Float = 0.012
    static let restingTime: Float = 0.3
    /// The changes of luma (0…1) up to which a change is noise (`none`), and from which it is motion (`full`).
    static let motion: (none: Float, full: Float) = (0.012, 0.05)
    /// The shares of the picture that people must cover, with hysteresis: they are present from `there` on, until less
    /// than `gone` remains.
    static let presentShare: (gone: Float, there: Float) = (0.002, 0.005)
    /// The seconds in which the mask fades in when people appear, and out when they disappear.
    static let presenceTime: Float = 0.15

    let width, height: Int
    /// The filtered confidence, 0…1.
    private(set) var values: [Float]
    /// The opacity of the whole mask, 0…1.
    private(set) var presence: Float = 0
    private var isPresent = false
    private var lastGuide: [Float]
    /// The change of luma at each place, smoothed over its neighbours.
    private var change: [Float]
    private var box: BoxFilter

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        values = [Float](repeating: 0, count: width * height)
        lastGuide = values
        change = values
        box = BoxFilter(width: width, height: height, radius: 2)
    }

    /// A Boolean value that indicates whether there are no people.
    var isEmpty: Bool { presence == 0 }

    /// Updates the state with an inference.
    /// - Parameters:
    ///   - confidence: The model's confidence, 0…1.
    ///   - guide: The picture's luma at the same places, 0…1.
    ///   - elapsed: The seconds since the last inference; `nil` resets the state.
    mutating func follow(_ confidence: [Float], guide: [Float], elapsed: Double?) {
        precondition(confidence.count == values.count && guide.count == values.count)
        if let elapsed {
            Self.measureChange(from: lastGuide, to: guide, into: &change)
            box.smooth(&change)
            Self.approach(&values, confidence, change, Float(elapsed))
        } else {
            values.refill(from: confidence)
        }
        lastGuide.refill(from: guide)
        findPresence(elapsed.map { Float($0) })
    }

    private static func measureChange(from last: [Float], to guide: [Float], into change: inout [Float]) {
        let last = last.span, guide = guide.span
        var change = change.mutableSpan
        for i in 0..<change.count { change[i] = (guide[i] - last[i]).magnitude }
    }

    private static func approach(
        _ values: inout [Float], _ confidence: [Float], _ change: [Float], _ elapsed: Float
    ) {
        // The share of a difference that remains after the time elapsed.
        let resting = exp(-elapsed / restingTime)
        let moving = exp(-elapsed / movingTime)
        let scale = 1 / (motion.full - motion.none)
        let none = motion.none
        let confidence = confidence.span, change = change.span
        var values = values.mutableSpan
        for i in 0..<values.count {
            let motion = max(0, min(1, (change[i] - none) * scale))
            let doubt = 1 - (2 * confidence[i] - 1).magnitude
            let pace = (1 - resting) * (1 - motion) + (1 - moving) * motion
            values[i] += (confidence[i] - values[i]) * pace * (1 - 0.6 * doubt * (1 - motion))
        }
    }

    private mutating func findPresence(_ elapsed: Float?) {
        var count = 0
        for value in values where value > 0.5 { count += 1 }
        let share = Float(count) / Float(values.count)
        isPresent = share >= (isPresent ? Self.presentShare.gone : Self.presentShare.there)
        let goal: Float = isPresent ? 1 : 0
        if let elapsed {
            let step = elapsed / Self.presenceTime
            presence += max(-step, min(step, goal - presence))
        } else {
            presence = goal
        }
    }
}
