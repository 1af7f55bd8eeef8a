package import Raster

/// Tracks hands from picture to picture of a video. `HandAnalyser` of Pipeline owns it.
///
/// A hand's place determines the region to search in the next picture. So the palm detector runs only while fewer hands
/// than the maximum are known. If no hand is known, the detector runs on every picture. If some are known, it runs a
/// few times a second (of media time), and at once after a hand was lost. The flow is MediaPipe's
/// (https://arxiv.org/abs/2006.10214), with the schedule added.
///
/// ```swift
/// let tracker = HandTracker(detector: detector, landmarker: landmarker)
/// let hands = try tracker.process(picture: picture, geometry: geometry, time: 1.2)
/// ```
///
/// The result depends on the pictures and times alone. Used by one thread at a time.
package final class HandTracker {
    /// The limits and intervals of detection.
    package struct Configuration: Sendable, Hashable {
        /// The maximum number of tracked hands.
        var maximumHands = 4
        /// The seconds between two searches for further hands.
        var detectionInterval = 0.2
        /// The minimum ``HandLandmarks/presence`` of a reported hand.
        var minimumPresence = 0.5
        /// The seconds for which the region of a rejected palm is skipped, the first time and at the most. Each further
        /// rejection doubles the time. Without this, faces and sleeves would double the cost of pictures without hands.
        var rejectionTime = 0.55, longestRejection = 1.1
        /// The seconds without a picture after which tracking restarts.
        var longestGap = 1.0
        /// True if a gesture is likely. Changed regions are then searched more often.
        package var isGestureLikely = false

        package init() {}
    }

    struct Track {
        var id: Int
        var located: LocatedHand
        /// The time of the last detection, in seconds.
        var time: Double
        /// The hand's last fresh detection, from its palm.
        var fresh: LocatedHand?

        /// True if a fresh detection would give the last result again: the hand is certain and has not changed since.
        var isSettled: Bool {
            guard let fresh, located.hand.presence >= HandFinder.doubtfulPresence else { return false }
            return !located.contradicts(fresh)
        }

        var hand: HandLandmarks {
            var hand = located.hand
            hand.trackID = id
            return hand
        }
    }

    package let configuration: Configuration
    let finder: HandFinder
    var holeFinder = HoleFinder()
    var tracks: [Track] = []
    /// Tracks that have ended within ``Configuration/longestGap``. The tracks' numbers are reused if the hands return.
    var lost: [Track] = []
    /// The heart that two of the hands make.
    var heart: FollowedHeart?
    var unconfirmedHoles: [UnconfirmedHole] = []
    /// Regions that were examined and showed no hand.
    private var rejections = RejectedRegions()
    private var nextID = 0
    private var lastTime: Double?
    private var lastDetection: Double?
    private(set) var lastGeometry: DisplayGeometry?
    /// The number of detections since hands first appeared.
    private var detectionsWithHands = 0
    /// The additional search of the last detection that found nothing.
    private var further = FurtherSearch.none
    /// The regions changed recently.
    var recentChanges: RecentChanges
    /// The approximate places of hands from an earlier analysis pass, in descending order of likelihood.
    package var expected: [HandRegion] = []

    /// The additional searches of detections that find nothing in the whole picture. Each of these detections makes the
    /// next search in turn.
    private enum FurtherSearch {
        case none
        /// A search of the middle of the picture.
        case closer
        /// A search for the hole of a heart.
        case hole

        var next: FurtherSearch {
            switch self {
            case .none: .closer
            case .closer: .hole
            case .hole: .none
            }
        }
    }

    /// The part of the picture, relative to its longer side, that every third detection without hands searches again.
    /// The detector reduces the whole picture to a width of 192 pixels, too few for small hands that touch. With these
    /// searches, a gesture fired in 15 of 32 videos made from photos of hearts, instead of in 8. The searches cost 2 %
    /// of a core while there is no hand.
    private static let closerScale = 0.6

    package init(
        detector: any PalmDetecting, landmarker: any HandLandmarking,
        configuration: Configuration = Configuration()
    ) {
        self.configuration = configuration
        recentChanges = RecentChanges(isLikely: configuration.isGestureLikely)
        finder = HandFinder(
            detector: detector, landmarker: landmarker,
            minimumPresence: configuration.minimumPresence)
    }

    /// Creates a tracker for another video that uses the models of a tracker on the same thread.
    package convenience init(sharingModelsOf other: HandTracker) {
        self.init(
            detector: other.finder.detector, landmarker: other.finder.landmarker, configuration: other.configuration)
    }

    /// True if the last picture showed a hand. Without a hand, a call of ``process(picture:geometry:time:closely:)``
    /// costs one palm detection, and fewer calls are needed. With hands, a call costs one landmark inference for each
    /// hand.
    var isTracking: Bool { !tracks.isEmpty }

    /// True if all hands of the last picture are certain, and not faces or sleeves that resemble hands.
    package var isSure: Bool { tracks.allSatisfy { $0.located.isSure } }

    /// Drops all hands, as after a cut. Track numbers are not reused.
    package func reset() {
        tracks = []
        lost = []
        heart = nil
        unconfirmedHoles = []
        holeFinder.reset()
        rejections = RejectedRegions()
        lastTime = nil
        lastDetection = nil
        further = .none
        detectionsWithHands = 0
        expected = []
        recentChanges = RecentChanges(isLikely: configuration.isGestureLikely)
    }

    /// Clears the rejected regions. Callers use this after a change in the picture, because a hand may now be in front
    /// of a rejected region.
    package func expectHands() { rejections.forget() }

    /// Drops the tracked hands. Rejected regions expire in their own time.
    package func loseHands() {
        tracks = []
        lost = []
        heart = nil
        lastDetection = nil
        detectionsWithHands = 0
    }

    /// Detects the hands of the next picture.
    /// - Parameters:
    ///   - time: The picture's presentation time in seconds. If the time does not closely follow the previous time, or
    ///     the geometry differs, tracking restarts.
    ///   - closely: Whether the landmark model runs twice on a hand that has moved, which makes the fingers more
    ///     accurate.
    /// - Returns: The hands in the order of their track numbers.
    /// - Throws: `.failed` if a model fails.
    package func process(
        picture: borrowing Picture, geometry: DisplayGeometry, time: Double,
        closely: Bool = true
    ) throws(InferenceError) -> [HandLandmarks] {
        if let lastTime, time <= lastTime { reset() }
        if geometry != lastGeometry { reset() }
        if let lastTime, time - lastTime > configuration.longestGap { loseHands() }
        lastTime = time
        lastGeometry = geometry
        lost.removeAll { time - $0.time > configuration.longestGap }

        let lostOne = try follow(picture, geometry, time, closely: closely)
        try followHeart(picture, geometry, time)
        let due = lastDetection.map { time - $0 >= configuration.detectionInterval } ?? true
        if tracks.count < configuration.maximumHands, tracks.isEmpty || lostOne || due {
            try search(picture, geometry, time, closely: closely)
        }
        return tracks.map(reported)
    }

    /// Returns a tracked hand in the form in which it is reported.
    private func reported(_ track: Track) -> HandLandmarks {
        var hand = track.hand
        if let heart, heart.time == lastTime {
            if track.id == heart.left { hand.heartPartner = heart.right }
            if track.id == heart.right { hand.heartPartner = heart.left }
        }
        return hand
    }

    /// Runs the landmark model on several crops of hands of the picture that was processed last. Several crops are too
    /// slow for every picture. The state of tracking does not change.
    /// - Parameter numbers: The track numbers of the hands to confirm.
    /// - Returns: All hands. Hands to confirm have the median of their crops' landmarks, and are omitted if the crops
    ///   disagree.
    /// - Throws: `.failed` if a model fails.
    package func confirmedHands(
        _ numbers: Set<Int>, picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> [HandLandmarks] {
        var hands: [HandLandmarks] = []
        for var track in tracks {
            // If a hand frames a hole, the hole is better evidence than the hand's points.
            if numbers.contains(track.id), reported(track).heartPartner == nil {
                guard let read = try finder.agreedReading(of: track.located, in: picture, geometry: geometry)
                else { continue }
                track.located = read
            }
            hands.append(reported(track))
        }
        return hands
    }

    /// Searches for each known hand near its last place.
    /// - Returns: Whether any hand was lost.
    private func follow(
        _ picture: borrowing Picture, _ geometry: DisplayGeometry, _ time: Double,
        closely: Bool
    ) throws(InferenceError) -> Bool {
        var kept: [Track] = []
        var lostOne = false
        for track in tracks {
            let region = track.located.region
            if let detected = try finder.hand(in: picture, geometry: geometry, region: region) {
                let hand = closely ? try settled(detected, from: region, picture, geometry) : detected
                // Two tracks on one hand: the older track is kept.
                if kept.contains(where: { $0.located.isSameHand(as: hand) }) { continue }
                kept.append(Track(id: track.id, located: hand, time: time, fresh: track.fresh))
            } else {
                lost.append(track)
                lostOne = true
            }
        }
        tracks = kept
        return lostOne
    }

    /// Runs the landmark model again on a hand that has moved since the last picture. The hand was not centred in its
    /// region, so the model detected the fingers less accurately.
    func settled(
        _ hand: LocatedHand, from region: HandRegion,
        _ picture: borrowing Picture, _ geometry: DisplayGeometry
    ) throws(InferenceError) -> LocatedHand {
        guard hand.region != region,
            let again = try finder.hand(in: picture, geometry: geometry, region: hand.region)
        else { return hand }
        return again.hand.presence >= hand.hand.presence ? again : hand
    }

    /// True if a detection with hands is followed by a search for holes. The search follows if a known hand could be
    /// half of a heart, and otherwise every third detection. Without these, a heart would be missed if the only known
    /// hand is a third hand, or a hand of the heart whose landmarks are wrong.
    private var searchesForHole: Bool {
        detectionsWithHands % 3 == 0 || tracks.contains { !$0.located.regionsOfOtherHalf.isEmpty }
    }

    /// Detects hands that are not yet known, and detects the known hands afresh.
    private func search(
        _ picture: borrowing Picture, _ geometry: DisplayGeometry, _ time: Double, closely: Bool
    ) throws(InferenceError) {
        lastDetection = time
        detectionsWithHands = tracks.isEmpty ? 0 : detectionsWithHands + 1
        let before = rejections.regions(at: time, configuration)
        var rejected = before
        var known = tracks.map(\.located)
        let unchanged = Set(tracks.indices.filter { tracks[$0].isSettled })
        var settled = unchanged
        let limit = configuration.maximumHands - tracks.count
        var found = try finder.newHands(
            in: picture, geometry: geometry, window: PictureWindow(around: geometry),
            known: &known, settled: &settled, rejected: &rejected, limit: limit)
        try searchChangedRegions(&found, &known, settled: &settled, picture, geometry, time, &rejected)
        try searchExpected(&found, known, picture, geometry)
        if tracks.isEmpty, found.isEmpty {
            further = further.next
            if further == .closer {
                found = try finder.newHands(
                    in: picture, geometry: geometry,
                    window: PictureWindow(around: geometry, scale: Self.closerScale),
                    known: &known, settled: &settled, rejected: &rejected, limit: limit)
            }
        }
        if closely, tracks.count == 1, found.isEmpty, detectionsWithHands % 2 == 1 {
            found = try finder.otherHand(
                of: known[0], known: known, in: picture, geometry: geometry, rejected: &rejected, limit: limit)
        }
        for index in tracks.indices {
            // If a fresh detection contradicts the tracked hand, one of them is wrong, so the next picture is searched,
            // too.
            if known[index].contradicts(tracks[index].located) { lastDetection = nil }
            tracks[index].located = known[index]
        }
        for index in settled.subtracting(unchanged) { tracks[index].fresh = known[index] }
        rejections.add(rejected.dropFirst(before.count), at: time)
        let halves = try finder.otherHalves(
            of: known + found, in: picture, geometry: geometry,
            limit: limit - found.count, isThorough: false)
        for hand in found { tracks.append(Track(id: identify(hand), located: hand, time: time, fresh: hand)) }
        for hand in halves { tracks.append(Track(id: identify(hand), located: hand, time: time)) }
        tracks.sort { $0.id < $1.id }
        let mayBeHeart = tracks.isEmpty ? further == .hole : searchesForHole
        if heart == nil, mayBeHeart || unconfirmedHoles.contains(where: { $0.isUrgent(at: time) }) {
            try searchHeart(picture, geometry, time)
        }
    }

    /// Returns the number of a hand that was recently lost near the same place, or a new number.
    func identify(_ hand: LocatedHand) -> Int {
        let distances = lost.map { $0.located.region.relativeDistance(to: hand.region) }
        if let nearest = distances.indices.min(by: { distances[$0] < distances[$1] }),
            distances[nearest] < 1
        {
            return lost.remove(at: nearest).id
        }
        nextID += 1
        return nextID - 1
    }
}

extension HandTracker {
    /// Searches a picture that was processed shortly before for tracked hands that the palm detector missed in it. The
    /// state of tracking does not change.
    /// - Parameters:
    ///   - numbers: The track numbers of the hands.
    ///   - picture: A picture of the same geometry as the last one.
    /// - Returns: The hands that the picture shows near their current places.
    /// - Throws: `.failed` if a model fails.
    package func hands(
        _ numbers: Set<Int>, inEarlier picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> [HandLandmarks] {
        guard geometry == lastGeometry else { return [] }
        // No palm confirms these hands, so they must be as clear as others that are found without one.
        let reader = finder.withMinimumPresence(HandFinder.minimumPresences.read)
        var found: [HandLandmarks] = []
        for track in tracks where numbers.contains(track.id) {
            let region = track.located.region
            guard let detected = try reader.hand(in: picture, geometry: geometry, region: region) else { continue }
            let located = try settled(detected, from: region, picture, geometry)
            guard located.region.relativeDistance(to: region) < Self.longestWay else { continue }
            var hand = located.hand
            hand.trackID = track.id
            found.append(hand)
        }
        return found
    }

    /// The maximum movement of a held hand, in sides of its region.
    private static var longestWay: Double { 0.35 }
}

extension HandTracker {
    /// The maximum number of places that a search tries.
    private static let maximumPlaces = 3
    /// The distance of places, in sides of the larger region, below which they belong to one hand.
    private static let oneHand = 0.5

    /// Returns the places of the hands with some track numbers.
    package func places(of numbers: Set<Int>) -> [HandRegion] {
        tracks.filter { numbers.contains($0.id) }.map(\.located.region)
    }

    /// Searches the places at which hands are expected, but none is known. The palm detector may find a small or dark
    /// hand in one picture and miss it in the next.
    func searchExpected(
        _ found: inout [LocatedHand], _ known: [LocatedHand], _ picture: borrowing Picture, _ geometry: DisplayGeometry
    ) throws(InferenceError) {
        guard !expected.isEmpty else { return }
        let reader = finder.withMinimumPresence(HandFinder.minimumPresences.read)
        var taken = (known + found).map(\.region), tries = 0
        for place in expected where known.count + found.count < configuration.maximumHands && tries < Self.maximumPlaces
        {
            if taken.contains(where: { $0.relativeDistance(to: place) < Self.oneHand }) { continue }
            taken.append(place)
            tries += 1
            guard let detected = try reader.hand(in: picture, geometry: geometry, region: place) else { continue }
            let hand = try settled(detected, from: place, picture, geometry)
            if (known + found).contains(where: { $0.isSameHand(as: hand) }) { continue }
            found.append(hand)
        }
    }
}
