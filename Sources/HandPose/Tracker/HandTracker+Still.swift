package import Inference
package import Raster

extension HandTracker {
    /// Detects the hands of a photo, with the additional inferences that video has no time for.
    ///
    /// If no hand is found in the whole picture, it is searched at a smaller scale (the palm detector misses hands that
    /// fill the picture), and then part by part (it also misses tiny hands). The landmarks of each hand are refined
    /// once. Tracking restarts.
    /// - Returns: The hands, ordered by the palms' scores, with `trackID` counted from 0.
    /// - Throws: `.failed` if a model fails.
    package func processStill(
        picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> [HandLandmarks] {
        reset()
        var found: [LocatedHand] = []
        // Readings that disagree may agree at the next size.
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

    /// Returns the hands that are detected in some windows, and read reliably.
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

    /// Returns the other hand of the person whose one hand was detected, on either side of it.
    private func otherHand(
        of hand: LocatedHand, _ picture: borrowing Picture, _ geometry: DisplayGeometry
    ) throws(InferenceError) -> [LocatedHand] {
        for side in [1.0, -1] {
            var rejected: [HandRegion] = []
            let found = try finder.otherHand(
                of: hand, side: side, known: [hand], in: picture, geometry: geometry, rejected: &rejected, limit: 1)
            let read = try refined(found, picture, geometry)
            if !read.isEmpty { return read }
        }
        return []
    }

    /// Returns the hands around the first hole that shows some.
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

    /// The number of holes of a photo around which hands are searched: half a second's work each.
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

    /// Returns the agreed reading of the best of further inferences on a hand; `nil` without agreement.
    private func refined(
        _ hand: LocatedHand, _ picture: borrowing Picture, _ geometry: DisplayGeometry
    ) throws(InferenceError) -> LocatedHand? {
        let detected = try finder.hand(in: picture, geometry: geometry, region: hand.region)
        let surer = detected.map { $0.hand.presence > hand.hand.presence ? $0 : hand } ?? hand
        let surest = try finder.secondReading(at: surer, in: picture, geometry: geometry)
        return try finder.agreedReading(of: surest, in: picture, geometry: geometry)
    }
}

extension PictureWindow {
    /// Returns groups of windows, to be searched one after the other until one shows a hand.
    static func levels(at geometry: DisplayGeometry) -> [[PictureWindow]] {
        let width = geometry.uprightWidth, height = geometry.uprightHeight
        let side = max(width, height) * 0.6
        var parts: [PictureWindow] = []
        // Parts that overlap, so that no hand is cut by all of them.
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
