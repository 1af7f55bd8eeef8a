import Raster
import Testing
@testable import Vision

/// A world whose palm detector finds nothing, and whose landmarker finds two hands around the gap of
/// ``HeartGapTests/heart``, if its region is beside it.
private final class HeartWorld: PalmDetecting, HandLandmarking {
    /// The middle of the gap in upright pixels.
    var middle = Point(x: 640, y: 360)
    /// The presences of the hands.
    var presences = (left: 0.4, right: 0.4)
    private(set) var searches = 0

    func palms(
        in picture: borrowing Picture, geometry: DisplayGeometry, window: PictureWindow
    ) throws(InferenceError) -> [Palm] { [] }

    func hand(
        in picture: borrowing Picture, geometry: DisplayGeometry, region: HandRegion
    ) throws(InferenceError) -> HandLandmarks {
        searches += 1
        let side: Double = region.centreX < middle.x ? -1 : 1
        var points = [Point](repeating: Point(x: middle.x + side * 150, y: middle.y), count: 21)
        points[HandJoint.wrist.rawValue] = Point(x: middle.x + side * 260, y: middle.y + 60)
        points[HandJoint.thumbTip.rawValue] = Point(x: middle.x + side * 5, y: middle.y + 84)
        points[HandJoint.indexTip.rawValue] = Point(x: middle.x + side * 5, y: middle.y - 24)
        points[HandJoint.middleMCP.rawValue] = Point(x: middle.x + side * 170, y: middle.y - 60)
        points[HandJoint.indexMCP.rawValue] = Point(x: middle.x + side * 150, y: middle.y - 50)
        return HandLandmarks(
            points: points.map {
                Landmark(x: $0.x / geometry.uprightWidth, y: $0.y / geometry.uprightHeight, z: 0)
            },
            handedness: side < 0 ? .right : .left, handednessConfidence: 1,
            presence: side < 0 ? presences.left : presences.right, trackID: 0,
            pictureAspectRatio: geometry.aspectRatio)
    }
}

/// Detection of two hands by the gap between them, and their tracking.
@Suite struct HeartTrackingTests {
    private let world = HeartWorld()
    private let tracker: HandTracker
    private let geometry = DisplayGeometry(storedWidth: 1280, storedHeight: 720)

    init() {
        tracker = HandTracker(detector: world, landmarker: world)
    }

    /// Analyses the same picture at five pictures a second.
    private func run(_ image: PlanarImage, _ fifths: ClosedRange<Int>) throws -> [[HandLandmarks]] {
        try fifths.map { fifth in
            try image.withPicture { picture in
                try tracker.process(picture: picture, geometry: geometry, time: Double(fifth) / 5)
            }
        }
    }

    private func makesHeart(_ hands: [HandLandmarks]) -> Bool {
        hands.count == 2 && hands[0].heartPartner == hands[1].trackID && hands[1].heartPartner == hands[0].trackID
    }

    @Test func faintHandsAreFoundByTheGap() throws {
        let seen = try run(HeartGapTests.picture(HeartGapTests.heart), 0...9)
        let first = try #require(seen.firstIndex(where: makesHeart))
        #expect(first <= 4)
        let isKept = seen[first...].allSatisfy(makesHeart)
        #expect(isKept)
        // The hands keep their numbers.
        #expect(Set(seen[first...].map { $0.map(\.trackID) }).count == 1)
    }

    @Test(arguments: [(0.9, 0.06, true), (0.06, 0.9, true), (0.3, 0.06, false), (0.99, 0.04, false)])
    func aConfidentHandLowersTheThresholdOfTheOther(left: Double, right: Double, makes: Bool) throws {
        world.presences = (left, right)
        let seen = try run(HeartGapTests.picture(HeartGapTests.heart), 0...9)
        #expect(seen.contains(where: makesHeart) == makes)
    }

    @Test func movingHandsAreTracked() throws {
        #expect(try makesHeart(run(HeartGapTests.picture(HeartGapTests.heart), 0...5).last!))
        for step in 1...4 {
            world.middle.x += 25
            let image = HeartGapTests.picture(HeartGapTests.heart, x: world.middle.x)
            #expect(try makesHeart(run(image, (5 + step)...(5 + step))[0]))
        }
    }

    @Test func handsWithoutTheGapMakeNoHeart() throws {
        #expect(try makesHeart(run(HeartGapTests.picture(HeartGapTests.heart), 0...5).last!))
        let after = try run(PlanarImage(width: 1280, height: 720), 6...12)
        #expect(!after.joined().contains { $0.heartPartner != nil })
        // Hands of that presence are dropped without the gap.
        #expect(after.last!.isEmpty)
    }

    @Test func printedHeartsAreRejected() throws {
        world.presences = (0.02, 0.02)
        let seen = try run(HeartGapTests.picture(HeartGapTests.heart), 0...100)
        #expect(seen.joined().isEmpty)
        // It is tried three times in a row, at increasing intervals.
        #expect(world.searches <= 3 * 8)
    }

    @Test func photosDetectItAtOnce() throws {
        let hands = try HeartGapTests.picture(HeartGapTests.heart).withPicture { picture in
            try tracker.processStill(picture: picture, geometry: geometry)
        }
        #expect(makesHeart(hands))
    }
}
