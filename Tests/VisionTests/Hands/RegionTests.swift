import Foundation
import Raster
import Testing

@testable import Vision

/// The landmark model's region, by hand-computed geometry.
@Suite struct RegionTests {
    /// A palm whose box has side 100 around (200, 300), turned clockwise by a right angle a step.
    static func palm(quarterTurns: Int) -> Palm {
        let directions = [(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)]
        let (dx, dy) = directions[quarterTurns]
        var keypoints = [Point](repeating: Point(x: 200, y: 300), count: Palm.keypointCount)
        keypoints[0] = Point(x: 200 - 40 * dx, y: 300 - 40 * dy)
        keypoints[2] = Point(x: 200 + 40 * dx, y: 300 + 40 * dy)
        return Palm(
            score: 0.9, box: Box(left: 150, top: 250, right: 250, bottom: 350), keypoints: keypoints)
    }

    @Test func stillHandsKeepTheirRegion() {
        let region = HandRegion(centreX: 300, centreY: 200, side: 100, rotation: 0.1)
        func next(side: Double = 100, x: Double = 300, rotation: Double = 0.1) -> HandRegion {
            HandRegion(centreX: x, centreY: 200, side: side, rotation: rotation)
        }
        #expect(region.stillFits(next(side: 110, x: 308, rotation: 0.3)))
        #expect(!region.stillFits(next(side: 125)))
        #expect(!region.stillFits(next(side: 80)))
        #expect(!region.stillFits(next(x: 315)))
        #expect(!region.stillFits(next(rotation: 0.6)))
    }

    /// A finger that reaches out of the region appears to end at its edge. If the region stayed, the finger would
    /// never be seen whole.
    @Test(arguments: [0.0, 0.5, -2.4])
    func aRegionFollowsAHandThatReachesOutOfIt(angle: Double) {
        let geometry = DisplayGeometry(storedWidth: 1280, storedHeight: 720)
        let points = openHand(x: 640, y: 360, size: 60, angle: angle)
        let fitting = HandRegion(landmarks: points)
        /// A smaller region, moved toward the wrist by a fraction of its side.
        func moved(_ share: Double, shrunk: Double = 1) -> HandRegion {
            var region = fitting
            region.side /= shrunk
            region.centreX -= share * region.side * sin(angle)
            region.centreY += share * region.side * cos(angle)
            return region
        }
        func region(searched: HandRegion) -> HandRegion {
            let hand = HandLandmarks(
                points: points.map { Landmark(x: $0.x / 1280, y: $0.y / 720, z: 0) }, handedness: .left,
                handednessConfidence: 1, presence: 1, trackID: 0, pictureAspectRatio: 1280.0 / 720)
            return LocatedHand(hand, geometry: geometry, searched: searched).region
        }
        let near = moved(0.04), far = moved(0.11, shrunk: 1.15)
        #expect(near.stillFits(fitting) && near.contains(points) && region(searched: near) == near)
        #expect(far.stillFits(fitting) && !far.contains(points))
        let next = region(searched: far)
        #expect(next != far && next.relativeDistance(to: fitting) < 1e-6 && next.contains(points))
    }

    @Test(arguments: [
        (0, 200.0, 250.0, 0.0), (1, 250.0, 300.0, Double.pi / 2), (2, 200.0, 350.0, Double.pi),
        (3, 150.0, 300.0, -Double.pi / 2),
    ])
    func palmRegionLiesTowardTheFingers(turns: Int, x: Double, y: Double, rotation: Double) {
        let region = HandRegion(Self.palm(quarterTurns: turns))
        #expect(abs(region.centreX - x) < 1e-9)
        #expect(abs(region.centreY - y) < 1e-9)
        #expect(abs(region.side - 260) < 1e-9)
        #expect(abs(region.rotation - rotation) < 1e-9)
    }

    @Test func longSideRules() {
        var palm = Self.palm(quarterTurns: 0)
        palm.box = Box(left: 180, top: 250, right: 220, bottom: 350)
        #expect(HandRegion(palm).side == 260)
    }

    @Test func tensorShowsTheHandUpright() {
        // The middle of the tensor's upper edge is the side of the region where fingers point.
        let region = HandRegion(centreX: 50, centreY: 60, side: 20, rotation: .pi / 2)
        let map = region.tensorToUpright(size: 224)
        let top = map.apply(x: 112, y: 0), centre = map.apply(x: 112, y: 112)
        #expect(abs(top.x - 60) < 1e-9 && abs(top.y - 60) < 1e-9)
        #expect(abs(centre.x - 50) < 1e-9 && abs(centre.y - 60) < 1e-9)
    }

    @Test(arguments: [0.0, 0.4, 1.2, -2.0, 3.0])
    func landmarkRegionTurnsWithTheHand(angle: Double) {
        let straight = HandRegion(landmarks: openHand(x: 300, y: 400, size: 100, angle: 0))
        let turned = HandRegion(landmarks: openHand(x: 300, y: 400, size: 100, angle: angle))
        #expect(abs(turned.rotation - straight.rotation - angle) < 1e-9)
        #expect(abs(turned.side - straight.side) < 1e-6)
        // The centre keeps its place in the hand.
        let map = turned.tensorToUpright(size: 2), back = straight.tensorToUpright(size: 2).inverse
        let wrist = back.apply(x: 300, y: 400)
        let turnedWrist = map.apply(x: wrist.x, y: wrist.y)
        #expect(abs(turnedWrist.x - 300) < 1e-6 && abs(turnedWrist.y - 400) < 1e-6)
    }

    @Test func overlaps() {
        let square = HandRegion(centreX: 10, centreY: 10, side: 10, rotation: 0)
        let half = HandRegion(centreX: 15, centreY: 10, side: 10, rotation: 1)
        let far = HandRegion(centreX: 100, centreY: 10, side: 10, rotation: 0)
        #expect(square.intersectionOverUnion(square) == 1)
        #expect(abs(square.intersectionOverUnion(half) - 1.0 / 3) < 1e-12)
        #expect(square.intersectionOverUnion(far) == 0)
    }

    @Test func aMirroredRegionShowsTheSamePlaces() {
        let region = HandRegion(centreX: 50, centreY: 60, side: 20, rotation: 0)
        var mirrored = region
        mirrored.isMirrored = true
        let one = region.tensorToUpright(size: 224).apply(x: 30, y: 70)
        let other = mirrored.tensorToUpright(size: 224).apply(x: 224 - 30, y: 70)
        #expect(abs(one.x - other.x) < 1e-9 && abs(one.y - other.y) < 1e-9)
    }
}
