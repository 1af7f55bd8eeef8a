import Raster
import Testing

@testable import HandPose

/// Small hands are searched at higher resolution in changed regions, and large ones at lower resolution after large
/// changes.
@Suite struct NewsTests {
    let world = PretendWorld()
    let tracker: HandTracker
    /// Around the hand below, in a picture of 1,280 by 720.
    private let newcomer = ChangedRegion(left: 0.6, top: 0.5, right: 0.66, bottom: 0.65)

    init() throws {
        tracker = HandTracker(detector: world, landmarker: world)
        _ = try look(at: 0)
        world.hands = [.init(x: 800, y: 440, size: 30, widestWindow: 300)]
    }

    /// Returns whether a search in a picture finds a hand, and the number of windows that it covered.
    private func look(at time: Double, by other: HandTracker? = nil) throws -> (seesHand: Bool, windows: Int) {
        let before = world.detections
        let hands = try withBlankPicture { picture, geometry in
            try (other ?? tracker).process(picture: picture, geometry: geometry, time: time)
        }
        return (!hands.isEmpty, world.detections - before)
    }

    @Test func aSmallHandIsFoundWhereSomethingIsNew() throws {
        #expect(try !look(at: 0.1).seesHand)
        tracker.note([newcomer], at: 0.2)
        #expect(try look(at: 0.2) == (true, 2))
        #expect(try look(at: 0.35).seesHand)
    }

    @Test func whatShowsNoHandIsGivenUp() throws {
        world.hands = []
        tracker.note([newcomer], at: 0.2)
        // The whole, every third time its middle, and three windows, two of them in the first search.
        let windows = try (1...6).map { try look(at: 0.2 * Double($0)).windows }
        #expect(windows == [3, 2, 2, 1, 1, 2])
    }

    @Test func aHandThatIsFoundIsSeenInThePictureBefore() throws {
        world.hands[0].widestWindow = .infinity
        #expect(try look(at: 0.1).seesHand)
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

    @Test func aHandIsFoundWhereItIsExpected() throws {
        world.hands[0].widestWindow = 0
        #expect(try !look(at: 0.1).seesHand)
        tracker.expected = [HandRegion(centreX: 200, centreY: 300, side: 90, rotation: 0)]
        #expect(try !look(at: 0.2).seesHand)
        tracker.expected.append(HandRegion(centreX: 805, centreY: 405, side: 90, rotation: 0))
        #expect(try numberOfHands(at: 0.3) == 1)
        // It is tracked now.
        #expect(try numberOfHands(at: 0.6) == 1)
        let other = HandTracker(detector: world, landmarker: world)
        other.expected = tracker.expected
        world.presences = [0.6]
        #expect(try !look(at: 0.2, by: other).seesHand)
    }

    @Test func newsAreForgotten() throws {
        tracker.note([newcomer], at: 0.2)
        tracker.note([], at: 1.6)
        #expect(try !look(at: 1.6).seesHand)
    }

    /// The number of searches in changed regions that appear every fifth of a second for 20 seconds.
    private func nearLooks(of other: HandTracker? = nil) throws -> Int {
        let windows = try (1...100).map { number in
            let left = Double(number % 9) / 10
            let newcomer = ChangedRegion(left: left, top: 0.5, right: left + 0.1, bottom: 0.6)
            (other ?? tracker).note([newcomer], at: 0.2 * Double(number))
            return try look(at: 0.2 * Double(number), by: other).windows
        }
        // The whole picture each time, and its middle every third time.
        return windows.reduce(0, +) - 100 - 33
    }

    @Test func whereThereIsAlwaysSomethingNewLooksAreFew() throws {
        world.hands = []
        #expect(try nearLooks() == 4 + 4)
    }

    @Test func aFalseHandElsewhereDoesNotKeepASmallHandFromBeingFound() throws {
        world.hands.append(.init(x: 200, y: 300, size: 80))
        #expect(try look(at: 0.1).seesHand)
        tracker.note([newcomer], at: 0.35)
        _ = try look(at: 0.35)
        #expect(try numberOfHands(at: 0.4) == 2)
    }

    @Test func newsThatAHandExplainsCostNoMore() throws {
        world.hands[0].widestWindow = .infinity
        #expect(try look(at: 0.1).seesHand)
        tracker.note([newcomer], at: 0.35)
        // The whole picture; a search for the other hand is not part of every search.
        let withNews = try look(at: 0.35).windows
        tracker.reset()
        #expect(try look(at: 0.1).seesHand)
        #expect(try look(at: 0.35).windows == withNews)
    }

    @Test func whatAHandExplainedIsForgottenWithIt() throws {
        world.hands[0].widestWindow = .infinity
        #expect(try look(at: 0.1).seesHand)
        tracker.note([newcomer], at: 0.35)
        #expect(try look(at: 0.35).seesHand)
        world.hands = []
        // The whole picture alone.
        #expect(try look(at: 0.5) == (false, 1))
    }

    @Test func aDoubtfulHandExplainsNothingSmall() throws {
        world.hands.append(.init(x: 800, y: 500, size: 200))
        world.presences = [0.7, 0.7]
        #expect(try look(at: 0.1).seesHand)
        world.presences = [0.7, 0.7]
        tracker.note([newcomer], at: 0.35)
        #expect(try look(at: 0.35).windows > 1)
    }

    @Test func aCutLeavesNothingToSearch() throws {
        world.hands = []
        tracker.note([newcomer], at: 0.2)
        tracker.note([.everything], at: 0.3)
        // The whole, and both searches at lower resolution.
        #expect(try look(at: 0.3).windows == 3)
        // The whole, and the middle.
        #expect(try (2...4).map { try look(at: 0.3 * Double($0)).windows } == [1, 2, 1])
    }

    @Test func whereAGestureIsLikelyLooksAreMore() throws {
        var rules = HandTracker.Configuration()
        rules.isGestureLikely = true
        world.hands = []
        let eager = HandTracker(detector: world, landmarker: world, configuration: rules)
        #expect(try 2 * nearLooks(of: eager) > 3 * nearLooks(of: tracker))
    }

    @Test func whatMovesIsNotSearchedWhileAHandIsSeen() throws {
        world.hands.append(.init(x: 200, y: 300, size: 80))
        #expect(try look(at: 0.1).seesHand)
        var moving = newcomer
        moving.stays = false
        tracker.note([moving], at: 0.35)
        _ = try look(at: 0.35)
        #expect(try numberOfHands(at: 0.4) == 1)
    }

    @Test func aHandWithoutAPalmIsFoundByItsPoints() throws {
        world.hands[0].widestWindow = 0
        #expect(try !look(at: 0.1).seesHand)
        tracker.note([newcomer], at: 0.2)
        #expect(try look(at: 0.2).seesHand)
    }

    @Test func whatHardlyLooksLikeAHandIsNone() throws {
        world.hands[0].widestWindow = 0
        world.presences = [0.4, 0.6, 0.6]
        tracker.note([newcomer], at: 0.2)
        #expect(try !look(at: 0.2).seesHand)
    }

    @Test func handsWithoutPalmsAreLookedForSeldom() throws {
        world.hands = []
        let before = world.searches
        _ = try nearLooks()
        // Four at once, and one every two seconds of the 20: three crops each at most.
        #expect(world.searches - before <= 3 * (4 + 10))
        #expect(world.searches > before)
    }

    private func numberOfHands(at time: Double) throws -> Int {
        try withBlankPicture { picture, geometry in
            try tracker.process(picture: picture, geometry: geometry, time: time).count
        }
    }

    @Test func whatFillsThePictureIsLookedAtFromFartherAway() throws {
        world.hands = [.init(x: 640, y: 600, size: 250, narrowestWindow: 1_800)]
        #expect(try !look(at: 0.1).seesHand)
        tracker.note([ChangedRegion(left: 0, top: 0, right: 0.8, bottom: 1)], at: 0.2)
        #expect(try look(at: 0.2) == (true, 2))
    }

    @Test func aHandThatFillsThePictureIsFoundASecondAfterACut() throws {
        world.hands = []
        tracker.note([.everything], at: 0.2)
        // The first search adds both windows, the third the middle of the picture.
        #expect(try (1...4).map { try look(at: 0.2 * Double($0)).windows } == [3, 1, 2, 1])
        world.hands = [.init(x: 640, y: 600, size: 250, narrowestWindow: 1_800)]
        tracker.note([ChangedRegion(left: 0.2, top: 0, right: 0.7, bottom: 1)], at: 1.2)
        #expect(try look(at: 1.2).seesHand)
    }

    @Test func aHandThatIsSeenAnywayCostsNoMore() throws {
        world.hands[0].widestWindow = .infinity
        tracker.note([newcomer], at: 0.2)
        #expect(try look(at: 0.2) == (true, 1))
    }

    @Test(arguments: 0..<4)
    func windowsLieWhereTheUprightPictureShowsTheThing(quarterTurns: Int) throws {
        let geometry = DisplayGeometry(
            storedWidth: 1280, storedHeight: 720, orientation: Orientation(quarterTurns: quarterTurns))
        let window = try #require(PictureWindow(around: newcomer, margin: 2, geometry: geometry))
        #expect(abs(window.side - 2 * 108) < 1e-9)
        let middle = geometry.uprightToStored.apply(
            x: window.left + window.side / 2, y: window.top + window.side / 2)
        #expect(abs(middle.x - 0.63 * 1280) < 1e-9)
        #expect(abs(middle.y - 0.575 * 720) < 1e-9)
    }
}
