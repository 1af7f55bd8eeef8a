internal import Inference
internal import Raster

extension HandTracker {
    /// How many places a look tries.
    private static let mostPlaces = 3
    /// Places that are nearer to each other than this, in sides of the larger region, are one hand's.
    private static let oneHand = 0.5

    /// Where the hands with some track numbers are.
    package func places(of numbers: Set<Int>) -> [HandRegion] {
        tracks.filter { numbers.contains($0.id) }.map(\.located.region)
    }

    /// Looks where hands are expected, and none is known: the palm detector sees a small or dark hand in one picture and
    /// misses it in the next.
    func searchExpected(
        _ found: inout [LocatedHand], _ known: [LocatedHand], _ picture: borrowing Picture, _ geometry: DisplayGeometry
    ) throws(InferenceError) {
        guard !expected.isEmpty else { return }
        let reader = finder.withMinimumPresence(HandFinder.leastPresences.read)
        var taken = (known + found).map(\.region), tries = 0
        for place in expected where known.count + found.count < configuration.maximumHands && tries < Self.mostPlaces {
            if taken.contains(where: { $0.relativeDistance(to: place) < Self.oneHand }) { continue }
            taken.append(place)
            tries += 1
            guard let look = try reader.hand(in: picture, geometry: geometry, region: place) else { continue }
            let hand = try settled(look, from: place, picture, geometry)
            if (known + found).contains(where: { $0.isSameHand(as: hand) }) { continue }
            found.append(hand)
        }
    }
}
