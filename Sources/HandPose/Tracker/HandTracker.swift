package import Inference
package import Raster

/// Follows hands from picture to picture of a video.
///
/// Where a hand was says where to look for it next, so the palm detector runs
/// only while fewer than the wanted hands are known: always when there is none,
/// a few times a second (of media time) when there are some, and at once when
/// one was lost. This is MediaPipe's flow
/// (https://arxiv.org/abs/2006.10214), with the schedule added.
///
///     let tracker = HandTracker(detector: detector, landmarker: landmarker)
///     let hands = try tracker.process(picture: picture, geometry: geometry, time: 1.2)
///
/// The result depends on the pictures and times alone. Used by one thread at a time.
package final class HandTracker {
    /// What to look for and how often.
    package struct Configuration: Sendable, Hashable {
        /// Hands beyond this number are not looked for.
        package var maximumHands = 4
        /// Seconds between two searches for further hands.
        package var detectionInterval = 0.2
        /// The least ``HandLandmarks/presence`` of a hand that is reported.
        package var minimumPresence = 0.5
        /// Seconds for which what looked like a palm and was no hand is not looked at again, the first time and
        /// at the most: twice as long each time that it turns out to be none. Faces and sleeves would double the cost of
        /// pictures without hands.
        package var rejectionTime = 0.55, longestRejection = 1.1
        /// Seconds without a picture after which no hand is where it was.
        package var longestGap = 1.0
        /// Whether somebody is likely to make a gesture: then what is new is looked at nearer more often.
        package var isGestureLikely = false

        package init() {}
    }

    struct Track {
        var id: Int
        var located: LocatedHand
        /// When it was last seen.
        var time: Double
        /// What it was when it was last looked at afresh, from its palm.
        var fresh: LocatedHand?

        /// Whether a fresh look would say what the last one said: its reading is sure and has not changed since.
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
    var hollowFinder = HollowFinder()
    var tracks: [Track] = []
    /// Tracks that ended a moment ago, whose numbers return if the hand does.
    var lost: [Track] = []
    /// The heart that two of the hands make.
    var heart: FollowedHeart?
    var emptyHollows: [EmptyHollow] = []
    /// Regions that were looked at and showed no hand.
    private var rejections = RejectedRegions()
    private var nextID = 0
    private var lastTime: Double?
    private var lastDetection: Double?
    private(set) var lastGeometry: DisplayGeometry?
    /// The number of looks since hands were first seen.
    private var looksWithHands = 0
    /// What the next look that finds nothing goes on to.
    private var further = FurtherLook.none
    /// Where something new was seen of late.
    var news: RecentNews
    /// Where hands are about now, as somebody saw who looked before; the likeliest first.
    package var expected: [HandRegion] = []

    /// What looks that find nothing in the whole picture go on to, in turn.
    private enum FurtherLook {
        case none
        /// A look at the middle of the picture.
        case closer
        /// A look for the hollow of a heart.
        case hollow

        var next: FurtherLook {
            switch self {
            case .none: .closer
            case .closer: .hollow
            case .hollow: .none
            }
        }
    }

    /// The part of the picture's longer side that every third look at a picture without
    /// hands goes through again: the detector sees the whole picture with 192 pixels across,
    /// too few for small hands that touch. Of 32 videos made from photos of hearts, 8 fired
    /// without these looks and 15 with them, for 2 % of a core more where no hand is.
    private static let closerLook = 0.6

    package init(
        detector: any PalmDetecting, landmarker: any HandLandmarking,
        configuration: Configuration = Configuration()
    ) {
        self.configuration = configuration
        news = RecentNews(isLikely: configuration.isGestureLikely)
        finder = HandFinder(
            detector: detector, landmarker: landmarker,
            minimumPresence: configuration.minimumPresence)
    }

    /// Whether the last picture showed a hand. While it did not, each call costs one
    /// palm detection and may come less often; while it did, one landmark
    /// search a hand.
    package var isTracking: Bool { !tracks.isEmpty }

    /// Whether what the last picture showed surely are hands, not faces or sleeves that look like some.
    package var isSure: Bool { tracks.allSatisfy { $0.located.isSure } }

    /// Forgets all hands, as after a cut. Numbers of tracks are not used again.
    package func reset() {
        tracks = []
        lost = []
        heart = nil
        emptyHollows = []
        hollowFinder.reset()
        rejections = RejectedRegions()
        lastTime = nil
        lastDetection = nil
        further = .none
        looksWithHands = 0
        expected = []
        news = RecentNews(isLikely: configuration.isGestureLikely)
    }

    /// Notes that something new is in view: what was no hand a moment ago may have one before it now.
    package func expectHands() { rejections.forget() }

    /// Forgets the hands that are followed. What was found to be none is forgotten in its own time.
    package func loseHands() {
        tracks = []
        lost = []
        heart = nil
        lastDetection = nil
        looksWithHands = 0
    }

    /// Finds the hands of the next picture.
    /// - Parameters:
    ///   - time: the picture's presentation time in seconds. When it does not follow the last
    ///     one closely, or the geometry is another, tracking starts over.
    ///   - closely: whether a hand that has moved is looked at twice, to read its fingers better.
    /// - Returns: the hands in the order of their track numbers.
    /// - Throws: `.failed` when a model fails.
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

    /// A hand as it is told of.
    private func reported(_ track: Track) -> HandLandmarks {
        var hand = track.hand
        if let heart, heart.time == lastTime {
            if track.id == heart.left { hand.heartPartner = heart.right }
            if track.id == heart.right { hand.heartPartner = heart.left }
        }
        return hand
    }

    /// Reads hands of the picture that was processed last with more care than there is time for in
    /// each one: from several crops. Tracking goes on as if nobody had asked.
    /// - Parameter numbers: the track numbers of the hands that matter.
    /// - Returns: all hands; of those that matter what the looks agree on, without those of
    ///   which they see different things.
    /// - Throws: `.failed` when a model fails.
    package func confirmedHands(
        _ numbers: Set<Int>, picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> [HandLandmarks] {
        var hands: [HandLandmarks] = []
        for var track in tracks {
            // Of a hand that frames a hollow more is known than its points say.
            if numbers.contains(track.id), reported(track).heartPartner == nil {
                guard let read = try finder.agreedReading(of: track.located, in: picture, geometry: geometry)
                else { continue }
                track.located = read
            }
            hands.append(reported(track))
        }
        return hands
    }

    /// Looks for each known hand near where it was.
    /// - Returns: whether one was lost.
    private func follow(
        _ picture: borrowing Picture, _ geometry: DisplayGeometry, _ time: Double,
        closely: Bool
    ) throws(InferenceError) -> Bool {
        var kept: [Track] = []
        var lostOne = false
        for track in tracks {
            let region = track.located.region
            if let look = try finder.hand(in: picture, geometry: geometry, region: region) {
                let hand = closely ? try settled(look, from: region, picture, geometry) : look
                // Two tracks on one hand: the older one stays.
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

    /// Looks again at a hand that has moved since the last picture: the first look saw it off
    /// the middle of its region, where the model reads fingers worse.
    func settled(
        _ hand: LocatedHand, from region: HandRegion,
        _ picture: borrowing Picture, _ geometry: DisplayGeometry
    ) throws(InferenceError) -> LocatedHand {
        guard hand.region != region,
            let again = try finder.hand(in: picture, geometry: geometry, region: hand.region)
        else { return hand }
        return again.hand.presence >= hand.hand.presence ? again : hand
    }

    /// Whether a look while hands are seen goes on to hollows: always where one could be half of a heart, and else every
    /// third one. The hand may be another one than the two that make the heart, or one of them and badly read.
    private var looksForHollow: Bool {
        looksWithHands % 3 == 0 || tracks.contains { !$0.located.regionsOfOtherHalf.isEmpty }
    }

    /// Looks for hands that are not known yet, and afresh at those that are.
    private func search(
        _ picture: borrowing Picture, _ geometry: DisplayGeometry, _ time: Double, closely: Bool
    ) throws(InferenceError) {
        lastDetection = time
        looksWithHands = tracks.isEmpty ? 0 : looksWithHands + 1
        let before = rejections.regions(at: time, configuration)
        var rejected = before
        var known = tracks.map(\.located)
        let unchanged = Set(tracks.indices.filter { tracks[$0].isSettled })
        var settled = unchanged
        let limit = configuration.maximumHands - tracks.count
        var found = try finder.newHands(
            in: picture, geometry: geometry, window: PictureWindow(around: geometry),
            known: &known, settled: &settled, rejected: &rejected, limit: limit)
        try searchNews(&found, &known, settled: &settled, picture, geometry, time, &rejected)
        try searchExpected(&found, known, picture, geometry)
        if tracks.isEmpty, found.isEmpty {
            further = further.next
            if further == .closer {
                found = try finder.newHands(
                    in: picture, geometry: geometry,
                    window: PictureWindow(around: geometry, scale: Self.closerLook),
                    known: &known, settled: &settled, rejected: &rejected, limit: limit)
            }
        }
        if closely, tracks.count == 1, found.isEmpty, looksWithHands % 2 == 1 {
            found = try finder.otherHand(
                of: known[0], known: known, in: picture, geometry: geometry, rejected: &rejected, limit: limit)
        }
        for index in tracks.indices {
            // A reading that a fresh look contradicts is not to be trusted: look afresh next
            // time, too.
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
        let mayBeHeart = tracks.isEmpty ? further == .hollow : looksForHollow
        if heart == nil, mayBeHeart || emptyHollows.contains(where: { $0.isUrgent(at: time) }) {
            try searchHeart(picture, geometry, time)
        }
    }

    /// The number of a hand that was lost a moment ago near the same place, or a new one.
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
    /// Looks for hands that are followed in a picture that was processed a moment ago, where the palm detector did not see
    /// them. Tracking goes on as if nobody had asked.
    /// - Parameters:
    ///   - numbers: the track numbers of the hands.
    ///   - picture: of the same geometry as the last one.
    /// - Returns: those that the picture shows about where they are now.
    /// - Throws: `.failed` when a model fails.
    package func hands(
        _ numbers: Set<Int>, inEarlier picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> [HandLandmarks] {
        guard geometry == lastGeometry else { return [] }
        var found: [HandLandmarks] = []
        for track in tracks where numbers.contains(track.id) {
            let region = track.located.region
            guard let look = try finder.hand(in: picture, geometry: geometry, region: region) else { continue }
            let located = try settled(look, from: region, picture, geometry)
            guard located.region.relativeDistance(to: region) < Self.longestWay else { continue }
            var hand = located.hand
            hand.trackID = track.id
            found.append(hand)
        }
        return found
    }

    /// How far a hand that is held may have come, in sides of its region.
    private static var longestWay: Double { 0.35 }
}

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
