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
        /// Seconds for which what looked like a palm and was no hand is not looked at again. Faces
        /// and sleeves would double the cost of pictures without hands.
        package var rejectionTime = 0.55
        /// Seconds without a picture after which nothing is where it was.
        package var longestGap = 1.0

        package init() {}
    }

    private struct Track {
        var id: Int
        var located: LocatedHand
        /// When it was last seen.
        var time: Double

        var hand: HandLandmarks {
            var hand = located.hand
            hand.trackID = id
            return hand
        }
    }

    package let configuration: Configuration
    let finder: HandFinder
    private var tracks: [Track] = []
    /// Tracks that ended a moment ago, whose numbers return if the hand does.
    private var lost: [Track] = []
    /// Regions that were looked at and showed no hand, with the times of that.
    private var rejections: [(region: HandRegion, time: Double)] = []
    private var nextID = 0
    private var lastTime: Double?
    private var lastDetection: Double?
    private var lastGeometry: DisplayGeometry?
    /// Whether the next look that finds nothing goes on to the middle of the picture.
    private var closerLookIsDue = false

    /// The part of the picture's longer side that every second look at a picture without
    /// hands goes through again: the detector sees the whole picture with 192 pixels across,
    /// too few for small hands that touch. Of 32 videos made from photos of hearts, 8 fired
    /// without these looks and 15 with them, for 2 % of a core more where no hand is.
    private static let closerLook = 0.6

    package init(
        detector: any PalmDetecting, landmarker: any HandLandmarking,
        configuration: Configuration = Configuration()
    ) {
        self.configuration = configuration
        finder = HandFinder(
            detector: detector, landmarker: landmarker,
            minimumPresence: configuration.minimumPresence)
    }

    /// Whether the last picture showed a hand. While it did not, each call costs one
    /// palm detection and may come less often; while it did, one landmark
    /// search a hand.
    package var isTracking: Bool { !tracks.isEmpty }

    /// Forgets all hands, as after a cut. Numbers of tracks are not used again.
    package func reset() {
        tracks = []
        lost = []
        rejections = []
        lastTime = nil
        lastDetection = nil
        closerLookIsDue = false
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
        if let lastTime, time <= lastTime || time - lastTime > configuration.longestGap { reset() }
        if geometry != lastGeometry { reset() }
        lastTime = time
        lastGeometry = geometry
        lost.removeAll { time - $0.time > configuration.longestGap }
        rejections.removeAll { time - $0.time > configuration.rejectionTime }

        let lostOne = try follow(picture, geometry, time, closely: closely)
        let due = lastDetection.map { time - $0 >= configuration.detectionInterval } ?? true
        if tracks.count < configuration.maximumHands, tracks.isEmpty || lostOne || due {
            try search(picture, geometry, time)
        }
        return tracks.map(\.hand)
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
            if numbers.contains(track.id) {
                guard let read = try finder.agreedReading(of: track.located, in: picture, geometry: geometry)
                else { continue }
                track.located = read
            }
            hands.append(track.hand)
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
                kept.append(Track(id: track.id, located: hand, time: time))
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
    private func settled(
        _ hand: LocatedHand, from region: HandRegion,
        _ picture: borrowing Picture, _ geometry: DisplayGeometry
    ) throws(InferenceError) -> LocatedHand {
        guard hand.region != region,
            let again = try finder.hand(in: picture, geometry: geometry, region: hand.region)
        else { return hand }
        return again.hand.presence >= hand.hand.presence ? again : hand
    }

    /// Looks for hands that are not known yet, and afresh at those that are.
    private func search(
        _ picture: borrowing Picture, _ geometry: DisplayGeometry, _ time: Double
    ) throws(InferenceError) {
        lastDetection = time
        let before = rejections.map(\.region)
        var rejected = before
        var known = tracks.map(\.located)
        let limit = configuration.maximumHands - tracks.count
        var found = try finder.newHands(
            in: picture, geometry: geometry, window: PictureWindow(around: geometry),
            known: &known, rejected: &rejected, limit: limit)
        if tracks.isEmpty, found.isEmpty {
            if closerLookIsDue {
                found = try finder.newHands(
                    in: picture, geometry: geometry,
                    window: PictureWindow(around: geometry, scale: Self.closerLook),
                    known: &known, rejected: &rejected, limit: limit)
            }
            closerLookIsDue.toggle()
        }
        for index in tracks.indices {
            // A reading that a fresh look contradicts is not to be trusted: look afresh next
            // time, too.
            if known[index].contradicts(tracks[index].located) { lastDetection = nil }
            tracks[index].located = known[index]
        }
        for region in rejected.dropFirst(before.count) { rejections.append((region, time)) }
        let halves = try finder.otherHalves(
            of: known + found, in: picture, geometry: geometry,
            limit: limit - found.count)
        for hand in found + halves {
            tracks.append(Track(id: identify(hand), located: hand, time: time))
        }
        tracks.sort { $0.id < $1.id }
    }

    /// The number of a hand that was lost a moment ago near the same place, or a new one.
    private func identify(_ hand: LocatedHand) -> Int {
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
