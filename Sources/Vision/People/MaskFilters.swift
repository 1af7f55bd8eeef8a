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
    /// A change of luma (0…1), and the share of places that change as much from which the picture shows another scene. In
    /// footage of people, motion changes up to 0.16 of the places between frames, and cuts 0.3 or more.
    static let cut: (change: Float, share: Float) = (0.12, 0.25)

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

    /// True if there are no people.
    var isEmpty: Bool { presence == 0 }

    /// Updates the state with an inference.
    /// - Parameters:
    ///   - confidence: The model's confidence, 0…1.
    ///   - guide: The picture's luma at the same places, 0…1.
    ///   - elapsed: The seconds since the last inference; `nil` resets the state.
    mutating func follow(_ confidence: [Float], guide: [Float], elapsed: Double?) {
        precondition(confidence.count == values.count && guide.count == values.count)
        if let elapsed {
            box.measureChange(from: lastGuide, to: guide, into: &change)
            Self.approach(&values, confidence, change, Float(elapsed))
        } else {
            values.refill(from: confidence)
        }
        lastGuide.refill(from: guide)
        findPresence(elapsed.map { Float($0) })
    }

    /// Returns whether a picture shows another scene than that of the last update.
    func isCut(to guide: [Float]) -> Bool {
        let last = lastGuide.span, guide = guide.span
        var count = 0
        for i in 0..<guide.count where (guide[i] - last[i]).magnitude > Self.cut.change { count += 1 }
        return Float(count) > Self.cut.share * Float(guide.count)
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

/// Aligns a soft mask with the edges of the picture from which it was computed. ``PersonMask`` owns it.
///
/// The method is the fast guided filter (He and Sun, https://arxiv.org/abs/1505.00996). Within each small window the
/// mask is modelled as a linear function of the picture's luma. The coefficients are computed at half the size,
/// smoothed, and applied at the full size.
struct GuidedFilter: Sendable {
    /// The window's radius in samples at half the size.
    static let radius = 2
    /// The variance of luma below which a window counts as flat. The mask is only smoothed there.
    static let flatness: Float = 0.0008
    /// The reduction of the mask along the person's outline where the picture itself shows no contour. When an effect
    /// dims the room, a bright strip of the room beside people is conspicuous; a dimmed strip of a person is not.
    static let withdrawal: Float = 0.24
    /// The variance of luma up to which a window counts as one without an edge of the picture, for ``withdrawal``.
    static let faintness: Float = 0.003

    let width, height: Int
    private var box: BoxFilter
    private var guideMean, mean, cross, square: [Float]

    /// - Precondition: Width and height are even.
    init(width: Int, height: Int) {
        precondition(width % 2 == 0 && height % 2 == 0)
        self.width = width
        self.height = height
        box = BoxFilter(width: width / 2, height: height / 2, radius: Self.radius)
        guideMean = [Float](repeating: 0, count: width * height / 4)
        mean = guideMean
        cross = guideMean
        square = guideMean
    }

    /// - Parameters:
    ///   - values: The mask, 0…1, `width` × `height`.
    ///   - guide: The picture's luma, 0…1, of the same size.
    ///   - result: The mask aligned with the guide's edges. The values may be slightly outside 0…1.
    mutating func filter(_ values: [Float], guide: [Float], into result: inout [Float]) {
        precondition(values.count == width * height && guide.count == values.count)
        Self.halve(values, width, into: &mean)
        Self.halve(guide, width, into: &guideMean)
        Self.multiply(guideMean, mean, into: &cross)
        Self.multiply(guideMean, guideMean, into: &square)
        box.smooth(&mean)
        box.smooth(&guideMean)
        box.smooth(&cross)
        box.smooth(&square)
        Self.findCoefficients(guideMean, square, slopes: &cross, offsets: &mean)
        box.smooth(&cross)
        box.smooth(&mean)
        Self.apply(slopes: cross, offsets: mean, width, to: guide, into: &result)
    }

    /// Averages squares of two by two values.
    private static func halve(_ values: [Float], _ width: Int, into half: inout [Float]) {
        let values = values.span
        var half = half.mutableSpan
        let halfWidth = width / 2
        for y in 0..<values.count / width / 2 {
            let upper = values.extracting(2 * y * width..<(2 * y + 1) * width)
            let lower = values.extracting((2 * y + 1) * width..<(2 * y + 2) * width)
            var row = half._mutatingExtracting(y * halfWidth..<(y + 1) * halfWidth)
            for x in 0..<halfWidth {
                row[x] = 0.25 * (upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1])
            }
        }
    }

    private static func multiply(_ x: [Float], _ y: [Float], into product: inout [Float]) {
        let x = x.span, y = y.span
        var product = product.mutableSpan
        for i in 0..<product.count { product[i] = x[i] * y[i] }
    }

    /// Replaces the means of the products, in `slopes`, and the means of the mask, in `offsets`, by the coefficients.
    private static func findCoefficients(
        _ guideMean: [Float], _ square: [Float], slopes: inout [Float], offsets: inout [Float]
    ) {
        let guideMean = guideMean.span, square = square.span
        var slopes = slopes.mutableSpan, offsets = offsets.mutableSpan
        for i in 0..<slopes.count {
            let mean = guideMean[i]
            let variance = max(square[i] - mean * mean, 0)
            let slope = (slopes[i] - mean * offsets[i]) / (variance + flatness)
            let rim = 4 * offsets[i] * (1 - offsets[i]) * faintness / (variance + faintness)
            slopes[i] = slope
            offsets[i] -= slope * mean + withdrawal * rim
        }
    }

    /// Interpolates the coefficients to the full size, and applies them to the guide.
    private static func apply(
        slopes: [Float], offsets: [Float], _ width: Int, to guide: [Float], into target: inout [Float]
    ) {
        let slopes = slopes.span, offsets = offsets.span, guide = guide.span
        var target = target.mutableSpan
        let halfWidth = width / 2
        let halfHeight = slopes.count / halfWidth
        for y in 0..<guide.count / width {
            // The centre of a full-size sample is a quarter of a half-size sample away from the nearest half-size
            // centre, so the weights are 3/4 and 1/4 in each direction.
            let near = (y >> 1) * halfWidth
            let far = min(max((y >> 1) + (y & 1 == 0 ? -1 : 1), 0), halfHeight - 1) * halfWidth
            for x in 0..<width {
                let a = x >> 1
                let b = min(max(a + (x & 1 == 0 ? -1 : 1), 0), halfWidth - 1)
                let slope =
                    0.5625 * slopes[near + a] + 0.1875 * (slopes[near + b] + slopes[far + a])
                    + 0.0625 * slopes[far + b]
                let offset =
                    0.5625 * offsets[near + a] + 0.1875 * (offsets[near + b] + offsets[far + a])
                    + 0.0625 * offsets[far + b]
                let i = y * width + x
                target[i] = slope * guide[i] + offset
            }
        }
    }
}

/// Replaces each value of a grid by the mean of the square around it. Beyond the edges, the border's values are
/// repeated. Filters of masks own one each, with its buffers.
struct BoxFilter: Sendable {
    let width, height, radius: Int
    /// A row with its border repeated on both sides.
    private var padded: [Float]
    /// For each column, the running sum over the rows of the current square.
    private var sums: [Float]
    /// For each value, the sum over its neighbours in the same row.
    private var rows: [Float]

    init(width: Int, height: Int, radius: Int) {
        self.width = width
        self.height = height
        self.radius = radius
        padded = [Float](repeating: 0, count: width + 2 * radius)
        sums = [Float](repeating: 0, count: width)
        rows = [Float](repeating: 0, count: width * height)
    }

    /// Replaces each value by the mean of the square around it.
    /// - Complexity: O(width · height · radius).
    mutating func smooth(_ values: inout [Float]) {
        precondition(values.count == width * height)
        Self.sumAlong(values, width: width, radius: radius, &padded, into: &rows)
        Self.sumDown(rows, width: width, radius: radius, &sums, into: &values)
    }

    /// Computes the change of luma at each place, smoothed over its neighbours.
    mutating func measureChange(from last: [Float], to guide: [Float], into change: inout [Float]) {
        Self.measureChange(from: last, to: guide, into: &change)
        smooth(&change)
    }

    private static func measureChange(from last: [Float], to guide: [Float], into change: inout [Float]) {
        let last = last.span, guide = guide.span
        var change = change.mutableSpan
        for i in 0..<change.count { change[i] = (guide[i] - last[i]).magnitude }
    }

    /// Sums each value of a row with its neighbours.
    private static func sumAlong(
        _ values: [Float], width: Int, radius: Int, _ padded: inout [Float], into rows: inout [Float]
    ) {
        let values = values.span
        var padded = padded.mutableSpan
        var rows = rows.mutableSpan
        for start in stride(from: 0, to: values.count, by: width) {
            for x in 0..<radius {
                padded[x] = values[start]
                padded[radius + width + x] = values[start + width - 1]
            }
            for x in 0..<width { padded[radius + x] = values[start + x] }
            var row = rows._mutatingExtracting(start..<start + width)
            for x in 0..<width { row[x] = padded[x] }
            for shift in 1...2 * radius {
                let shifted = padded.span.extracting(shift..<shift + width)
                for x in 0..<width { row[x] += shifted[x] }
            }
        }
    }

    /// Sums neighbouring rows and divides by the square's area.
    private static func sumDown(
        _ rows: [Float], width: Int, radius: Int, _ sums: inout [Float], into values: inout [Float]
    ) {
        let rows = rows.span
        var values = values.mutableSpan
        var sums = sums.mutableSpan
        let height = values.count / width
        func row(_ y: Int) -> Range<Int> {
            let start = min(max(y, 0), height - 1) * width
            return start..<start + width
        }
        for x in 0..<width { sums[x] = 0 }
        for y in -radius..<radius {
            let entering = rows.extracting(row(y))
            for x in 0..<width { sums[x] += entering[x] }
        }
        let side = Float(2 * radius + 1)
        let scale = 1 / (side * side)
        for y in 0..<height {
            let entering = rows.extracting(row(y + radius))
            let leaving = rows.extracting(row(y - radius))
            var target = values._mutatingExtracting(row(y))
            for x in 0..<width {
                let sum = sums[x] + entering[x]
                target[x] = sum * scale
                sums[x] = sum - leaving[x]
            }
        }
    }
}
