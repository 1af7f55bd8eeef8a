import Raster
import Testing

@testable import Vision

/// Small hands are searched at higher resolution in changed regions, and large ones at lower resolution after large
/// changes.
@Suite struct ChangedRegionTests {
    let world = SimulatedHands()
    let tracker: HandTracker
    /// Around the hand below, in a picture of 1,280 by 720.
    private let changedRegion = ChangedRegion(left: 0.6, top: 0.5, right: 0.66, bottom: 0.65)

    init() throws {
        tracker = HandTracker(detector: world, landmarker: world)
        _ = try search(at: 0)
        world.hands = [.init(x: 800, y: 440, size: 30, widestWindow: 300)]
    }

    /// Returns whether a search in a picture finds a hand, and the number of windows that it covered.
    private func search(at time: Double, by other: HandTracker? = nil) throws -> (seesHand: Bool, windows: Int) {
        let before = world.detections
        let hands = try withBlankPicture { picture, geometry in
            try (other ?? tracker).process(picture: picture, geometry: geometry, time: time)
        }
        return (!hands.isEmpty, world.detections - before)
    }

    @Test func smallHandsAreFoundInChangedRegions() throws {
        #expect(try !search(at: 0.1).seesHand)
        tracker.recordChanges([changedRegion], at: 0.2)
        #expect(try search(at: 0.2) == (true, 2))
        #expect(try search(at: 0.35).seesHand)
    }

    @Test func regionsWithoutAHandAreAbandoned() throws {
        world.hands = []
        tracker.recordChanges([changedRegion], at: 0.2)
        // The whole, every third time its middle, and three windows, two of them in the first search.
        let windows = try (1...6).map { try search(at: 0.2 * Double($0)).windows }
        #expect(windows == [3, 2, 2, 1, 1, 2])
    }

    @Test func foundHandsAreSearchedInThePreviousPicture() throws {
        world.hands[0].widestWindow = .infinity
        #expect(try search(at: 0.1).seesHand)
        let number = try #require(tracker.tracks.first?.id)
        func earlier() throws -> [Int] {
            try withBlankPicture { picture, geometry in
                try tracker.hands([number, 99], inEarlier: picture, geometry: geometry).map(\.trackID)
            }
        }
        #expect(try earlier() == [number])
        // It came from elsewhere.
        world.hands[0].x += 60
        #expect(try earlier().isEmpty)
        world.hands = []
        #expect(try earlier().isEmpty)
        #expect(tracker.isTracking)
    }

    @Test func handsAreFoundWhereExpected() throws {
        world.hands[0].widestWindow = 0
        #expect(try !search(at: 0.1).seesHand)
        tracker.expected = [HandRegion(centreX: 200, centreY: 300, side: 90, rotation: 0)]
        #expect(try !search(at: 0.2).seesHand)
        tracker.expected.append(HandRegion(centreX: 805, centreY: 405, side: 90, rotation: 0))
        #expect(try numberOfHands(at: 0.3) == 1)
        // It is tracked now.
        #expect(try numberOfHands(at: 0.6) == 1)
        let other = HandTracker(detector: world, landmarker: world)
        other.expected = tracker.expected
        world.presences = [0.6]
        #expect(try !search(at: 0.2, by: other).seesHand)
    }

    @Test func changedRegionsExpire() throws {
        tracker.recordChanges([changedRegion], at: 0.2)
        tracker.recordChanges([], at: 1.6)
        #expect(try !search(at: 1.6).seesHand)
    }

    /// The number of searches in changed regions that appear every fifth of a second for 20 seconds.
    private func nearSearches(of other: HandTracker? = nil) throws -> Int {
        let windows = try (1...100).map { number in
            let left = Double(number % 9) / 10
            let changedRegion = ChangedRegion(left: left, top: 0.5, right: left + 0.1, bottom: 0.6)
            (other ?? tracker).recordChanges([changedRegion], at: 0.2 * Double(number))
            return try search(at: 0.2 * Double(number), by: other).windows
        }
        // The whole picture each time, and its middle every third time.
        return windows.reduce(0, +) - 100 - 33
    }

    @Test func constantChangesLimitSearches() throws {
        world.hands = []
        #expect(try nearSearches() == 4 + 4)
    }

    @Test func falseHandsDoNotBlockSmallHands() throws {
        world.hands.append(.init(x: 200, y: 300, size: 80))
        #expect(try search(at: 0.1).seesHand)
        tracker.recordChanges([changedRegion], at: 0.35)
        _ = try search(at: 0.35)
        #expect(try numberOfHands(at: 0.4) == 2)
    }

    @Test func changesCoveredByAHandNeedNoSearch() throws {
        world.hands[0].widestWindow = .infinity
        #expect(try search(at: 0.1).seesHand)
        tracker.recordChanges([changedRegion], at: 0.35)
        // The whole picture; a search for the other hand is not part of every search.
        let withChange = try search(at: 0.35).windows
        tracker.reset()
        #expect(try search(at: 0.1).seesHand)
        #expect(try search(at: 0.35).windows == withChange)
    }

    @Test func coveredChangesExpireWithTheHand() throws {
        world.hands[0].widestWindow = .infinity
        #expect(try search(at: 0.1).seesHand)
        tracker.recordChanges([changedRegion], at: 0.35)
        #expect(try search(at: 0.35).seesHand)
        world.hands = []
        // The whole picture alone.
        #expect(try search(at: 0.5) == (false, 1))
    }

    @Test func doubtfulHandsCoverNoSmallChange() throws {
        world.hands.append(.init(x: 800, y: 500, size: 200))
        world.presences = [0.7, 0.7]
        #expect(try search(at: 0.1).seesHand)
        world.presences = [0.7, 0.7]
        tracker.recordChanges([changedRegion], at: 0.35)
        #expect(try search(at: 0.35).windows > 1)
    }

    @Test func cutsClearChangedRegions() throws {
        world.hands = []
        tracker.recordChanges([changedRegion], at: 0.2)
        tracker.recordChanges([.everything], at: 0.3)
        // The whole, and both searches at lower resolution.
        #expect(try search(at: 0.3).windows == 3)
        // The whole, and the middle.
        #expect(try (2...4).map { try search(at: 0.3 * Double($0)).windows } == [1, 2, 1])
    }

    @Test func likelyGesturesGetMoreSearches() throws {
        var rules = HandTracker.Configuration()
        rules.isGestureLikely = true
        world.hands = []
        let eager = HandTracker(detector: world, landmarker: world, configuration: rules)
        #expect(try 2 * nearSearches(of: eager) > 3 * nearSearches(of: tracker))
    }

    @Test func motionIsNotSearchedWhileAHandIsSeen() throws {
        world.hands.append(.init(x: 200, y: 300, size: 80))
        #expect(try search(at: 0.1).seesHand)
        var moving = changedRegion
        moving.stays = false
        tracker.recordChanges([moving], at: 0.35)
        _ = try search(at: 0.35)
        #expect(try numberOfHands(at: 0.4) == 1)
    }

    @Test func handsWithoutAPalmAreFoundByLandmarks() throws {
        world.hands[0].widestWindow = 0
        #expect(try !search(at: 0.1).seesHand)
        tracker.recordChanges([changedRegion], at: 0.2)
        #expect(try search(at: 0.2).seesHand)
    }

    @Test func weakLandmarksAreRejected() throws {
        world.hands[0].widestWindow = 0
        world.presences = [0.4, 0.6, 0.6]
        tracker.recordChanges([changedRegion], at: 0.2)
        #expect(try !search(at: 0.2).seesHand)
    }

    @Test func handsWithoutPalmsAreSearchedSeldom() throws {
        world.hands = []
        let before = world.searches
        _ = try nearSearches()
        // Four at once, and one every two seconds of the 20: three crops each at most.
        #expect(world.searches - before <= 3 * (4 + 10))
        #expect(world.searches > before)
    }

    private func numberOfHands(at time: Double) throws -> Int {
        try withBlankPicture { picture, geometry in
            try tracker.process(picture: picture, geometry: geometry, time: time).count
        }
    }

    @Test func largeChangesAreSearchedAtLowResolution() throws {
        world.hands = [.init(x: 640, y: 600, size: 250, narrowestWindow: 1_800)]
        #expect(try !search(at: 0.1).seesHand)
        tracker.recordChanges([ChangedRegion(left: 0, top: 0, right: 0.8, bottom: 1)], at: 0.2)
        #expect(try search(at: 0.2) == (true, 2))
    }

    @Test func largeHandsAreFoundASecondAfterACut() throws {
        world.hands = []
        tracker.recordChanges([.everything], at: 0.2)
        // The first search adds both windows, the third the middle of the picture.
        #expect(try (1...4).map { try search(at: 0.2 * Double($0)).windows } == [3, 1, 2, 1])
        world.hands = [.init(x: 640, y: 600, size: 250, narrowestWindow: 1_800)]
        tracker.recordChanges([ChangedRegion(left: 0.2, top: 0, right: 0.7, bottom: 1)], at: 1.2)
        #expect(try search(at: 1.2).seesHand)
    }

    @Test func visibleHandsNeedNoExtraSearch() throws {
        world.hands[0].widestWindow = .infinity
        tracker.recordChanges([changedRegion], at: 0.2)
        #expect(try search(at: 0.2) == (true, 1))
    }

    @Test(arguments: 0..<4)
    func windowsFollowTheUprightPicture(quarterTurns: Int) throws {
        let geometry = DisplayGeometry(
            storedWidth: 1280, storedHeight: 720, orientation: Orientation(quarterTurns: quarterTurns))
        let window = try #require(PictureWindow(around: changedRegion, margin: 2, geometry: geometry))
        #expect(abs(window.side - 2 * 108) < 1e-9)
        let middle = geometry.uprightToStored.apply(
            x: window.left + window.side / 2, y: window.top + window.side / 2)
        #expect(abs(middle.x - 0.63 * 1280) < 1e-9)
        #expect(abs(middle.y - 0.575 * 720) < 1e-9)
    }
}
