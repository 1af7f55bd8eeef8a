internal import Inference
internal import Raster

extension HandTracker {
    /// How many windows a look that finds no hand goes on to: each costs as much as the look at the whole picture.
    private static let windowLimit = 2

    /// Notes where the picture at `time` shows something new.
    ///
    /// The next looks that see no hand look nearer there: the palm detector sees the whole picture with 192 pixels
    /// across, in which a hand of a tenth of the height is eleven pixels high. Where much is new they look from farther
    /// away: it finds no hand that fills the picture either.
    package func note(_ newcomers: [Newcomer], at time: Double) { news.note(newcomers, at: time) }

    /// The hands that are seen through windows around what is new.
    func handsAtNews(
        _ picture: borrowing Picture, _ geometry: DisplayGeometry, _ time: Double, _ rejected: inout [HandRegion]
    ) throws(InferenceError) -> [LocatedHand] {
        var known: [LocatedHand] = []
        var settled: Set<Int> = []
        for window in news.windows(at: time, geometry: geometry, count: Self.windowLimit) {
            let found = try finder.newHands(
                in: picture, geometry: geometry, window: window, known: &known, settled: &settled,
                rejected: &rejected, limit: configuration.maximumHands)
            guard found.isEmpty else {
                news.noteHand()
                return found
            }
        }
        return []
    }
}
