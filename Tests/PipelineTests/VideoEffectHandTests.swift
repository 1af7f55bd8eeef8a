import FoundationEssentials
import MediaIO
import Puppet
import Raster
import Reactions
import TestSupport
import Testing
@testable import Vision

@testable import Pipeline

/// Hands that the mask of people misses: Portrait keeps them sharp.
struct VideoEffectHandTests {
    private let pool = FramePool()

    /// An upright open hand left of the puppet, before a part of the room with fine structure.
    private static let hand: HandOutline = {
        var points = [SIMD2<Float>(0.16, 0.75)]
        points += (1...4).map { SIMD2(0.16 - 0.012 * Float($0), 0.75 - 0.05 * Float($0)) }
        for knuckle in [-0.03, -0.01, 0.01, 0.03] as [Float] {
            points += (0..<4).map { SIMD2(0.16 + knuckle, 0.52 - 0.06 * Float($0)) }
        }
        return HandOutline(points: points, confidence: 1)
    }()

    /// The middle of the palm in a picture of 640 × 360.
    private static let palm = (columns: 94..<112, rows: 205..<250)

    /// Draws Portrait for 0.7 s.
    /// - Parameter hands: Returns the hands that were seen last at a time.
    /// - Returns: The mean change of the luma in the palm in the last frame.
    private func change(_ hands: (_ time: Double) -> [SeenHand]) throws -> Double {
        let director = try PuppetDirector(
            script: PuppetScript(
                width: 640, height: 360, rate: 30, duration: 2, scene: PuppetScene(noise: 0, seed: 3), cues: []))
        let catalog = try EffectCatalog(
            resources: Resources(assets: Repository.root.appending(path: "Assets").path))
        let compositor = FrameCompositor(catalog: catalog, seed: 1, resources: Resources.located())
        var change = 0.0
        for index in 0..<21 {
            let time = Double(index) / 30
            var frame = try VideoFrame(format: director.format, time: MediaTime(seconds: time), pool: pool)
            try frame.withMutablePicture(pool: pool) { picture in
                director.draw(frame: index, into: &picture)
                picture.with8BitPlane(.luma) { samples, stride in
                    for row in 100..<330 {
                        for column in 40..<170 { samples[row * stride + column] = (row + column) % 2 == 0 ? 60 : 180 }
                    }
                }
            }
            let before = try frame.copy(pool: pool)
            var video = PlannedVideoEffects()
            (video.effects, video.hands) = (VideoEffects(portrait: 1), hands(time))
            try compositor.draw([], video: video, at: time, on: &frame, pool: pool)
            change = Self.difference(before, frame)
        }
        #expect(compositor.inferenceCount > 0 && compositor.takeWarnings().isEmpty)
        return change
    }

    private static func difference(_ one: borrowing VideoFrame, _ other: borrowing VideoFrame) -> Double {
        func palm(_ frame: borrowing VideoFrame) -> [Int] {
            frame.withPicture { picture in
                picture.with8BitPlane(.luma) { samples, stride in
                    Self.palm.rows.flatMap { row in Self.palm.columns.map { Int(samples[row * stride + $0]) } }
                }
            }
        }
        let pairs = Array(zip(palm(one), palm(other)))
        return Double(pairs.reduce(0) { $0 + abs($1.0 - $1.1) }) / Double(pairs.count)
    }

    @Test func aHandThatWasSeenIsSharp() throws {
        #expect(try change { _ in [] } > 30)
        #expect(try change { [SeenHand(outline: Self.hand, time: $0)] } < 3)
        #expect(try change { [SeenHand(outline: Self.hand, time: $0 - 0.1)] } < 3)
    }

    @Test("Hands of other tiles, and hands that were seen long ago, do not count")
    func others() throws {
        #expect(try change { [SeenHand(outline: Self.hand, time: $0, tile: 1)] } > 30)
        #expect(try change { [SeenHand(outline: Self.hand, time: $0 - 0.5)] } > 30)
        #expect(try change { _ in [SeenHand(outline: Self.hand, time: 40)] } > 30)
    }
}
