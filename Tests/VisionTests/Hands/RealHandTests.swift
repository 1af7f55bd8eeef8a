import Foundation
import Raster
import TestSupport
import Testing
@testable import Vision

/// The models on photos of real hands, compared with MediaPipe's results.
@Suite(.enabled(if: SharedMedia.isPresent, "needs the shared footage"))
struct RealHandTests {
    /// Full frames of people at a desk, with one or more hands.
    static func photos(_ label: String, _ count: Int) -> [ReferencePhoto] {
        Array(
            ReferencePhoto.all
                .filter { $0.path.contains("/\(label)/office__") && $0.hands.count == 1 }
                .prefix(count))
    }

    /// The mean distance of the points in units of the palm's length.
    func error(_ hand: HandLandmarks, _ reference: [Landmark], _ width: Double, _ height: Double) -> Double {
        func distance(_ a: Landmark, _ b: Landmark) -> Double {
            (((a.x - b.x) * width) * ((a.x - b.x) * width)
                + ((a.y - b.y) * height) * ((a.y - b.y) * height)).squareRoot()
        }
        let palm = max(distance(reference[0], reference[9]), distance(reference[5], reference[17]))
        return zip(hand.points, reference).map(distance).reduce(0, +) / 21 / palm
    }

    @Test(arguments: ["thumbs_up", "thumbs_down", "victory", "horns"])
    func agreesWithMediaPipe(label: String) async throws {
        let tracker = try InstalledModels.tracker()
        for photo in Self.photos(label, 2) {
            let image = try await PlanarImage(
                file: photo.file, width: photo.width, height: photo.height)
            let geometry = DisplayGeometry(storedWidth: photo.width, storedHeight: photo.height)
            let hands = try image.withPicture {
                try tracker.processStill(picture: $0, geometry: geometry)
            }
            let best = hands.map {
                error($0, photo.hands[0], Double(photo.width), Double(photo.height))
            }.min()
            #expect(try #require(best) < 0.15, "\(photo.path)")
        }
    }

    @Test(arguments: [
        ("transpose=cclock", 1.0, Orientation(quarterTurns: 1), true),
        ("transpose=clock", 1.0, Orientation(quarterTurns: 3), true),
        ("hflip,vflip", 1.0, Orientation(quarterTurns: 2), false),
        ("hflip", 1.0, Orientation(mirrored: true), false),
        ("null", 2.0, Orientation(), false),
    ])
    func resultsDoNotDependOnStorage(
        filter: String, ratio: Double, orientation: Orientation, sideways: Bool
    ) async throws {
        let photo = try #require(Self.photos("thumbs_up", 1).first)
        let upright = (width: photo.width & ~3, height: photo.height & ~3)
        let stored = (
            width: Int(Double(sideways ? upright.height : upright.width) / ratio),
            height: sideways ? upright.width : upright.height
        )
        let tracker = try InstalledModels.tracker()
        let plain = try await PlanarImage(
            file: photo.file, width: upright.width, height: upright.height)
        let turned = try await PlanarImage(
            file: photo.file, width: stored.width, height: stored.height, filter: filter)
        let wanted = try plain.withPicture {
            try tracker.processStill(
                picture: $0,
                geometry: DisplayGeometry(storedWidth: upright.width, storedHeight: upright.height))
        }
        let hands = try turned.withPicture {
            try tracker.processStill(
                picture: $0,
                geometry: DisplayGeometry(
                    storedWidth: stored.width, storedHeight: stored.height,
                    sampleAspectRatio: ratio, orientation: orientation))
        }
        #expect(!wanted.isEmpty)
        #expect(hands.count == wanted.count)
        for (hand, other) in zip(hands, wanted) {
            let difference = error(
                hand, other.points, Double(upright.width), Double(upright.height))
            #expect(difference < 0.06)
            #expect(hand.handedness == other.handedness)
        }
    }

    /// With the palm to the camera and the fingers up, the index finger of a right hand is to the
    /// right of the little one, in a picture that is not mirrored.
    @Test func handednessIsAnatomical() async throws {
        let tracker = try InstalledModels.tracker()
        var judged = 0
        for photo in Self.photos("palm", 8) {
            let image = try await PlanarImage(
                file: photo.file, width: photo.width, height: photo.height)
            let geometry = DisplayGeometry(storedWidth: photo.width, storedHeight: photo.height)
            let hands = try image.withPicture {
                try tracker.processStill(picture: $0, geometry: geometry)
            }
            for hand in hands where hand[.middleTip].y < hand[.wrist].y && hand.handednessConfidence > 0.8 {
                let indexIsRight = hand[.indexMCP].x > hand[.littleMCP].x
                #expect((hand.handedness == .right) == indexIsRight, "\(photo.path)")
                judged += 1
            }
        }
        #expect(judged >= 4)
    }

    @Test func seesNoHandInNoise() throws {
        var random = SeededGenerator(seed: 3)
        let count = 640 * 360 * 3 / 2
        let noise = Data((0..<count).map { _ in UInt8.random(in: 16...235, using: &random) })
        let image = PlanarImage(width: 640, height: 360, samples: noise)
        let tracker = try InstalledModels.tracker()
        let hands = try image.withPicture {
            try tracker.process(
                picture: $0, geometry: DisplayGeometry(storedWidth: 640, storedHeight: 360), time: 0)
        }
        #expect(hands.isEmpty)
    }
}
