/// A hollow of a video without hands around it so far.
struct EmptyHollow {
    var hollow: Hollow
    /// When it was last seen.
    var time: Double
    /// How often hands were looked for around it, and when that is next worth the while.
    private(set) var tries = 0
    private(set) var nextTry: Double

    /// Seconds after which a hollow that is not seen is forgotten.
    static let memory = 8.0

    init(hollow: Hollow, time: Double) {
        self.hollow = hollow
        self.time = time
        nextTry = time
    }

    /// Whether it should be looked for out of turn: it was seen a moment ago, and hands that rise to make a heart
    /// may be there now.
    func isUrgent(at time: Double) -> Bool { tries < 3 && time >= nextTry && time - self.time < 1.2 }

    /// Notes that no hands were found: 0.4 s from now they may be, then after twice that, and so on up to eight seconds.
    mutating func noteFailure(at time: Double) {
        tries += 1
        nextTry = time + min(Double(1 << tries) / 5, 8)
    }
}
