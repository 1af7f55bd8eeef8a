import Foundation
import Raster
import TestSupport
import Testing

@testable import Vision

/// A camera's picture of a room: noise, varying light, and objects in it.
private struct Room {
    var light = 0
    /// Squares that are brighter than the wall: left, top, side and by how much.
    var things: [(x: Int, y: Int, side: Int, brightness: Int)] = []

    static let width = 320, height = 180

    /// The picture, with noise of up to eight codes that depends on `seed`.
    func image(seed: UInt64) -> PlanarImage {
        var random = SeededGenerator(seed: seed)
        var samples = Data(count: Self.width * Self.height * 3 / 2)
        for y in 0..<Self.height {
            for x in 0..<Self.width {
                var value = 60 + x / 4 + light
                for thing in things
                where (thing.x..<thing.x + thing.side).contains(x) && (thing.y..<thing.y + thing.side).contains(y) {
                    value += thing.brightness
                }
                samples[y * Self.width + x] = UInt8(clamping: value + Int.random(in: -8...8, using: &random))
            }
        }
        for index in Self.width * Self.height..<samples.count { samples[index] = 128 }
        return PlanarImage(width: Self.width, height: Self.height, samples: samples)
    }
}

/// The changes in a sequence of rooms; after the first one, and wherever `analyses` indicates it, a search finds no
/// hand.
private func changes(in rooms: [Room], analyses: (Int, SceneChangeDetector.Change) -> Bool = { _, _ in true })
    -> [SceneChangeDetector
    .Change]
{
    var watch = SceneChangeDetector()
    return rooms.enumerated().map { index, room in
        let change = room.image(seed: UInt64(index)).withPicture { watch.update(with: $0) }
        if index == 0 || analyses(index, change) { watch.recordDetection(foundHands: false) }
        return change
    }
}

@Suite struct SceneChangeDetectorTests {
    private let hand = (x: 200, y: 80, side: 40, brightness: 50)

    @Test func onlyTheFirstPictureIsNew() {
        let seen = changes(in: Array(repeating: Room(), count: 12))
        #expect(seen.first == .arrival)
        #expect(seen.dropFirst().allSatisfy { $0 == .none })
    }

    @Test func globalLightChangesAreIgnored() {
        let seen = changes(in: [0, 0, 25, 25, -15, 10].map { Room(light: $0) })
        #expect(seen.dropFirst().allSatisfy { $0 == .none })
    }

    @Test func appearingHandsAreReportedOnceStill() {
        let rooms = [Room(), Room(), Room(things: [hand]), Room(things: [hand])]
        #expect(
            changes(in: rooms, analyses: { _, change in change == .arrival }) == [.arrival, .none, .moving, .arrival])
    }

    @Test(arguments: [true, false])
    func motionBesideARejectedRegionIsReportedOnceStill(isSure: Bool) {
        let rooms = [Room(), Room(), Room(things: [hand]), Room(things: [hand]), Room(things: [hand])]
        var watch = SceneChangeDetector()
        let seen = rooms.enumerated().map { index, room in
            let change = room.image(seed: UInt64(index)).withPicture { watch.update(with: $0) }
            watch.recordDetection(foundHands: true, isSure: isSure)
            return change
        }
        #expect(seen == [.arrival, .none, .moving, isSure ? .none : .arrival, .none])
    }

    @Test func slowlyRisingHandsAreDetected() {
        let rooms = (0..<40).map { Room(things: [(200, 180 - $0, 40, 50)]) }
        let seen = changes(in: rooms, analyses: { _, change in change == .arrival })
        #expect(seen.dropFirst().prefix(12).contains(.arrival))
        #expect(seen.dropFirst().count { $0 == .arrival } >= 3)
    }

    @Test func aCutIsNew() {
        var other = Room()
        other.things = [(0, 0, 160, 80), (200, 60, 100, -40)]
        let seen = changes(in: [Room(), Room(), other, other], analyses: { _, change in change == .arrival })
        #expect(seen == [.arrival, .none, .moving, .arrival])
    }

    @Test func constantMotionIsBackgroundButAHandIsNot() {
        let face = (0..<20).map { Room(things: [(140, 40, 60, $0 % 2 == 0 ? 20 : 40)]) }
        let covered = Room(things: [(140, 40, 60, 120)])
        let seen = changes(in: face + [covered, covered], analyses: { index, _ in index < 20 })
        #expect(seen[1] == .moving)
        #expect(seen[10..<20].allSatisfy { $0 == .usual })
        #expect(seen.suffix(2) == [.moving, .arrival])
    }

    @Test func reportsChangedRegions() throws {
        var watch = SceneChangeDetector()
        let rooms = [Room(), Room(things: [hand, (40, 20, 20, 100)])]
        let seen = rooms.enumerated().map { index, room in
            _ = room.image(seed: UInt64(index)).withPicture { watch.update(with: $0) }
            if index == 0 { watch.recordDetection(foundHands: false) }
            return watch.changedRegions
        }
        #expect(seen[0].isEmpty)
        try #require(seen[1].count == 2)
        // Cells are ten samples wide; the larger thing changes more.
        for (newcomer, thing) in zip(seen[1], rooms[1].things) {
            #expect(abs(newcomer.left * 320 - Double(thing.x)) <= 10)
            #expect(abs(newcomer.top * 180 - Double(thing.y)) <= 10)
            #expect(abs(newcomer.right * 320 - Double(thing.x + thing.side)) <= 10)
            #expect(abs(newcomer.bottom * 180 - Double(thing.y + thing.side)) <= 10)
        }
    }

    @Test(arguments: [(0, false), (-50, true), (60, false)])
    func detectsDarkPictures(light: Int, isDark: Bool) {
        // Its wall is at 60 to 140.
        var watch = SceneChangeDetector()
        #expect(!watch.isDark)
        _ = Room(light: light).image(seed: 1).withPicture { watch.update(with: $0) }
        #expect(watch.isDark == isDark)
    }

    @Test func afterACutEverythingIsNew() {
        var watch = SceneChangeDetector()
        for room in [Room(), Room(), Room(things: [(0, 0, 160, 80), (160, 0, 160, -40)])] {
            _ = room.image(seed: 1).withPicture { watch.update(with: $0) }
            watch.recordDetection(foundHands: false)
        }
        #expect(watch.changedRegions == [.everything])
    }

    @Test func cutsResetTheBackground() {
        var other = Room()
        other.things = [(0, 0, 160, 80), (160, 0, 160, -40)]
        let raised = Room(things: other.things + [(200, 80, 40, 60)])
        let seen = changes(in: [Room(), Room(), other, other, raised, raised], analyses: { index, _ in index < 4 })
        #expect(seen.suffix(3) == [.none, .moving, .arrival])
    }

    @Test func newSizesResetTheDetector() {
        var watch = SceneChangeDetector()
        for (width, height) in [(320, 180), (180, 320), (64, 48), (8, 2)] {
            let change = PlanarImage(width: width, height: height).withPicture { watch.update(with: $0) }
            #expect(change == .arrival)
            watch.recordDetection(foundHands: false)
        }
    }

    @Test func skippedFramesLoseNoChange() {
        var watch = SceneChangeDetector()
        for _ in 0..<2 {
            #expect(Room().image(seed: 1).withPicture { watch.update(with: $0) } == .arrival)
            watch.recordDetection(foundHands: false)
            watch.discardPictures()
        }
    }
}
