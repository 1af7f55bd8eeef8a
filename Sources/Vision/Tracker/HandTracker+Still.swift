package import Raster

/// Detects hands in still images, with additional inferences.
extension HandTracker {
    /// Detects the hands of a photo, with additional inferences for which video leaves no time.
    ///
    /// If the whole picture shows no hand, it is searched at a smaller scale, since the palm detector misses hands that
    /// fill the picture. Then its parts are searched, since the detector also misses tiny hands. The landmarks of each
    /// hand are refined once. Tracking restarts.
    /// - Returns: The hands in the order of the palms' scores, with `trackID` counted from 0.
    /// - Throws: `.failed` if a model fails.
    package func processStill(
        picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> [HandLandmarks] {
        reset()
        var found: [LocatedHand] = []
        // Crops of a hand that disagree at one window size may agree at the next, so the search continues until hands
        // are certain.
        for windows in PictureWindow.levels(at: geometry) where found.isEmpty {
            found = try search(through: windows, picture, geometry)
        }
        if found.count == 1 { found += try otherHand(of: found[0], picture, geometry) }
        found += try finder.otherHalves(
            of: found, in: picture, geometry: geometry,
            limit: configuration.maximumHands - found.count, isThorough: true)
        let heart = try heart(of: found, picture, geometry)
        if let heart {
            found.removeAll { $0.isSameHand(as: heart.left) || $0.isSameHand(as: heart.right) }
            found = Array(([heart.left, heart.right] + found).prefix(configuration.maximumHands))
        }
        return found.enumerated().map { index, located in
            var hand = located.hand
            hand.trackID = index
            if heart != nil, index < 2 { hand.heartPartner = 1 - index }
            return hand
        }
    }

    /// Returns the hands that are detected in some windows, without those whose crops disagree.
    private func search(
        through windows: [PictureWindow], _ picture: borrowing Picture, _ geometry: DisplayGeometry
    ) throws(InferenceError) -> [LocatedHand] {
        var found: [LocatedHand] = []
        var rejected: [HandRegion] = []
        for window in windows {
            var settled: Set<Int> = []
            let further = try finder.newHands(
                in: picture, geometry: geometry, window: window, known: &found, settled: &settled,
                rejected: &rejected, limit: configuration.maximumHands - found.count)
            found += further
        }
        return try refined(found, picture, geometry)
    }

    /// Returns the other hand of a person with one detected hand, on either side of it. A hand that is as near as a
    /// second detection of the first one is none: in windows around a large hand, these differ enough to look like two.
    private func otherHand(
        of hand: LocatedHand, _ picture: borrowing Picture, _ geometry: DisplayGeometry
    ) throws(InferenceError) -> [LocatedHand] {
        for side in [1.0, -1] {
            var rejected: [HandRegion] = []
            let found = try finder.otherHand(
                of: hand, side: side, known: [hand], in: picture, geometry: geometry, rejected: &rejected, limit: 1)
            let read = try refined(found, picture, geometry).filter { !$0.isNear(hand) }
            if !read.isEmpty { return read }
        }
        return []
    }

    /// Returns the hands around the first hole that has hands of a heart around it; `nil` if none has.
    private func heart(
        of known: [LocatedHand], _ picture: borrowing Picture, _ geometry: DisplayGeometry
    ) throws(InferenceError) -> HeartFrame? {
        let holes = holeFinder.holes(in: picture, geometry: geometry, isThorough: true)
        for hole in holes.prefix(Self.holesOfStill) {
            if let frame = try finder.frame(
                of: hole, known: known, in: picture, geometry: geometry, isThorough: true)
            {
                return frame
            }
        }
        return nil
    }

    /// The number of holes in a photo around which hands are searched. The search around one hole takes half a second.
    private static let holesOfStill = 3

    private func refined(
        _ hands: [LocatedHand], _ picture: borrowing Picture, _ geometry: DisplayGeometry
    ) throws(InferenceError) -> [LocatedHand] {
        var read: [LocatedHand] = []
        for hand in hands {
            if let hand = try refined(hand, picture, geometry) { read.append(hand) }
        }
        return read
    }

    /// Returns a hand with landmarks from further inferences; `nil` if these disagree.
    private func refined(
        _ hand: LocatedHand, _ picture: borrowing Picture, _ geometry: DisplayGeometry
    ) throws(InferenceError) -> LocatedHand? {
        let detected = try finder.hand(in: picture, geometry: geometry, region: hand.region)
        let likelier = detected.map { $0.hand.presence > hand.hand.presence ? $0 : hand } ?? hand
        let final = try finder.secondReading(at: likelier, in: picture, geometry: geometry)
        return try finder.agreedReading(of: final, in: picture, geometry: geometry)
    }
}

extension PictureWindow {
    /// Returns groups of windows. The groups are searched in turn until one of them shows a hand.
    static func levels(at geometry: DisplayGeometry) -> [[PictureWindow]] {
        let width = geometry.uprightWidth, height = geometry.uprightHeight
        let side = max(width, height) * 0.6
        var parts: [PictureWindow] = []
        // The parts overlap, so that at least one of them contains each hand completely.
        for top in starts(of: side, in: height) {
            for left in starts(of: side, in: width) {
                parts.append(PictureWindow(left: left, top: top, side: side))
            }
        }
        return ([1] + farScales).map { [PictureWindow(around: geometry, scale: $0)] } + [parts]
    }

    private static func starts(of side: Double, in length: Double) -> [Double] {
        side >= length ? [(length - side) / 2] : [0, (length - side) / 2, length - side]
    }
}
