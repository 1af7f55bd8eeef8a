import Raster
import Testing
@testable import Vision

/// Detection times, following, and numbering of the tracker.
@Suite struct HandTrackerTests {
    let world = SimulatedHands()
    let tracker: HandTracker

    init() {
        var configuration = HandTracker.Configuration()
        configuration.detectionInterval = 0.5
        tracker = HandTracker(detector: world, landmarker: world, configuration: configuration)
    }

    /// Runs through an interval at ten pictures a second.
    @discardableResult
    func run(_ times: ClosedRange<Int>, change: (Int) -> Void = { _ in }) throws -> [[Int]] {
        try times.map { tenth in
            change(tenth)
            return try hands(at: Double(tenth) / 10).map(\.trackID)
        }
    }

    func hands(at time: Double, closely: Bool = true) throws -> [HandLandmarks] {
        try withBlankPicture { picture, geometry in
            try tracker.process(picture: picture, geometry: geometry, time: time, closely: closely)
        }
    }

    @Test func searchesWithoutAHand() throws {
        #expect(try run(0...4) == [[], [], [], [], []])
        // One of three searches adds the middle of the picture, and one the heart's gap.
        #expect(world.detections == 5 + 2)
        #expect(world.searches == 0)
        #expect(!tracker.isTracking)
    }

    @Test func followsWithoutDetecting() throws {
        world.hands = [.init(x: 300, y: 400)]
        let seen = try run(0...4) { _ in world.hands[0].x += 12 }
        #expect(seen.allSatisfy { $0 == [0] })
        #expect(world.detections == 1)
        #expect(tracker.isTracking)
        let hand = try #require(try hands(at: 0.45).first)
        #expect(abs(hand[.wrist].x * 1280 - world.hands[0].x) < 1e-6)
    }

    @Test func movingHandsAreInferredTwiceOnRequest() throws {
        for (closely, searches) in [(true, 2), (false, 1)] {
            tracker.reset()
            world.hands = [.init(x: 300, y: 400)]
            try run(0...0)
            world.hands[0].x += 30
            let before = world.searches
            _ = try hands(at: 0.1, closely: closely)
            #expect(world.searches == before + searches)
        }
    }

    @Test func findsASecondHandSoon() throws {
        world.hands = [.init(x: 300, y: 400)]
        let seen = try run(0...10) { if $0 == 2 { world.hands.append(.init(x: 800, y: 400)) } }
        #expect(seen[4] == [0])
        #expect(seen[5] == [0, 1])
        #expect(seen[10] == [0, 1])
        // At 0, 0.5 and 1.0 s.
        #expect(world.detections == 3)
        #expect(world.searches == 11 + 6)
    }

    @Test func handsAreDetectedAfreshAfterAChange() throws {
        world.hands = [.init(x: 300, y: 400)]
        try run(0...20) { if $0 == 7 { world.hands[0].x += 40 } }
        // Every half second; every other search adds the other hand's probable place.
        #expect(world.detections == 5 + 2)
        // A hand that has moved is inferred twice, and detected afresh at 1.0 s.
        #expect(world.searches == 21 + 1 + 1)
    }

    @Test func doubtfulHandsAreDetectedAfreshEachTime() throws {
        world.hands = [.init(x: 300, y: 400)]
        world.presences = [Double](repeating: 0.9, count: 100)
        try run(0...20)
        // Every half second; every other search adds the other hand's probable place.
        #expect(world.detections == 5 + 2)
        #expect(world.searches == 21 + 4)
    }

    @Test func moreConfidentDetectionsReplaceTheTrack() throws {
        world.hands = [.init(x: 300, y: 400)]
        // One inference when it is found, four that follow; at 0.5 s one that follows and one afresh.
        world.presences = [0.9, 0.6, 0.6, 0.6, 0.6, 0.6, 0.95]
        try run(0...4)
        #expect(try hands(at: 0.5).map(\.presence) == [0.95])
        // A fresh detection with less confidence changes nothing.
        world.presences = [0.8, 0.8, 0.8, 0.8, 0.8, 0.7]
        try run(6...9)
        #expect(try hands(at: 1.0).map(\.presence) == [0.8])
    }

    @Test func stopsDetectingWhenAllHandsAreTracked() throws {
        world.hands = (0..<6).map { .init(x: 150 + 190 * Double($0), y: 400) }
        let seen = try run(0...20)
        #expect(seen.allSatisfy { $0 == [0, 1, 2, 3] })
        #expect(world.detections == 1)
    }

    @Test func searchesAtOnceForALostHand() throws {
        world.hands = [.init(x: 300, y: 400)]
        let seen = try run(0...3) { if $0 == 2 { world.hands[0].x = 900 } }
        // It is elsewhere, so it gets another number.
        #expect(seen == [[0], [0], [1], [1]])
        #expect(world.detections == 2)
    }

    @Test func keepsTheNumberOfAFlickeringHand() throws {
        world.hands = [.init(x: 300, y: 400)]
        let seen = try run(0...6) { world.hands[0].visible = !(2...4).contains($0) }
        #expect(seen == [[0], [0], [], [], [], [0], [0]])
    }

    @Test func forgetsALongLostHand() throws {
        world.hands = [.init(x: 300, y: 400)]
        let seen = try run(0...20) { world.hands[0].visible = !(2...16).contains($0) }
        #expect(seen[1] == [0])
        #expect(seen[17] == [1])
    }

    @Test func falsePalmsAreNotRetriedRepeatedly() throws {
        world.hands = [.init(x: 300, y: 400, isFalse: true)]
        #expect(try run(0...9).allSatisfy(\.isEmpty))
        #expect(world.detections == 10 + 4)
        // At 0 and 0.5 s.
        #expect(world.searches == 2)
        // It has rested for longer since; a hand is found within that time.
        let seen = try run(10...18) { _ in world.hands[0].isFalse = false }
        #expect(seen.last == [0])
    }

    @Test func falsePalmsAreRetriedWhereAHandIsExpected() throws {
        world.hands = [.init(x: 300, y: 400, isFalse: true)]
        _ = try run(0...7)
        world.hands[0].isFalse = false
        #expect(try run(8...8) == [[]])
        tracker.expectHands()
        #expect(try run(9...9) == [[0]])
    }

    @Test func anOpenHandIsNoHalfOfAHeart() throws {
        world.hands = [.init(x: 300, y: 400)]
        try run(0...0)
        let searches = world.searches
        try run(1...1)
        // One inference that follows it, and no other.
        #expect(world.searches == searches + 1)
    }

    @Test func touchingHandsAreTwo() throws {
        // As in a heart: the regions overlap by far more than half.
        world.hands = [.init(x: 400, y: 400), .init(x: 450, y: 400)]
        #expect(try run(0...6).allSatisfy { $0 == [0, 1] })
    }

    @Test func twoTracksOnOneHandBecomeOne() throws {
        world.hands = [.init(x: 400, y: 400), .init(x: 460, y: 400)]
        let seen = try run(0...8) { if $0 == 3 { world.hands[1].visible = false } }
        #expect(seen[2] == [0, 1])
        #expect(seen[3] == [0])
        #expect(seen[8] == [0])
    }

    @Test(arguments: [0.2, 5.0])
    func timeJumpsResetTracking(time: Double) throws {
        world.hands = [.init(x: 300, y: 400)]
        try run(0...4)
        #expect(try hands(at: time).map(\.trackID) == [1])
        #expect(world.detections == 2)
    }

    @Test func newGeometryResetsTracking() throws {
        world.hands = [.init(x: 300, y: 400)]
        try run(0...1)
        let hands = try withBlankPicture(width: 640, height: 480) { picture, geometry in
            try tracker.process(picture: picture, geometry: geometry, time: 0.2)
        }
        #expect(hands.map(\.trackID) == [1])
    }

    @Test func stillsCountFromZero() throws {
        world.hands = [.init(x: 300, y: 400), .init(x: 800, y: 400)]
        try run(0...3)
        let hands = try withBlankPicture { picture, geometry in
            try tracker.processStill(picture: picture, geometry: geometry)
        }
        #expect(hands.map(\.trackID) == [0, 1])
    }

    // MARK: Careful detection

    func confirmed(_ numbers: Set<Int>) throws -> [Int] {
        try withBlankPicture { picture, geometry in
            try tracker.confirmedHands(numbers, picture: picture, geometry: geometry)
        }.map(\.trackID)
    }

    @Test func onlyRequestedHandsAreDetectedCarefully() throws {
        world.hands = [.init(x: 300, y: 400), .init(x: 800, y: 400)]
        try run(0...3)
        let searches = world.searches
        #expect(try confirmed([1]) == [0, 1])
        #expect(world.searches == searches + 6)
    }

    @Test func handsMissedByMostInferencesAreNotConfirmed() throws {
        world.hands = [.init(x: 300, y: 400)]
        try run(0...3)
        world.presences = [0.9, 0.9, 0.9, 0.1, 0.1, 0.1]
        #expect(try confirmed([0]) == [0])
        world.presences = [0.9, 0.9, 0.1, 0.1, 0.1, 0.1]
        #expect(try confirmed([0]) == [])
        // It is followed on, and may be confirmed later.
        #expect(try run(4...4) == [[0]])
        #expect(try confirmed([0]) == [0])
    }

    /// The presences of a hand that is confident from its palm and once more, and then in none of the careful
    /// inferences.
    static let unsure = [0.99, 0.99] + [Double](repeating: 0.1, count: 6)

    func handsOfPhoto() throws -> [Int] {
        try withBlankPicture { picture, geometry in
            try tracker.processStill(picture: picture, geometry: geometry)
        }.map(\.trackID)
    }

    @Test func photoHandsMissedByMostInferencesAreDropped() throws {
        world.hands = [.init(x: 300, y: 400)]
        // Detected so in the picture, twice smaller, and then in a part of it; never in the others.
        world.presences = [Double](Array(repeating: Self.unsure, count: 4).joined()) + Array(repeating: 0.1, count: 50)
        #expect(try handsOfPhoto() == [])
    }

    /// The palm detector finds only one of two large hands in the whole picture.
    @Test func photosShowTheOtherLargeHand() throws {
        world.hands = [.init(x: 300, y: 400, size: 120), .init(x: 800, y: 400, size: 120, widestWindow: 900)]
        #expect(try handsOfPhoto() == [0, 1])
    }

    @Test func disagreeingInferencesTrySmallerPhotos() throws {
        world.hands = [.init(x: 300, y: 400)]
        world.presences = Self.unsure
        #expect(try handsOfPhoto() == [0])
        // In the second size, and on both sides of the hand for another one.
        #expect(world.detections == 2 + 2)
    }
}
