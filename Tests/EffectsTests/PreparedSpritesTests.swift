import Synchronization
import Testing

@testable import Effects
@testable import Raster

@Suite("Prerendered sprites")
struct PreparedSpritesTests {
    private typealias Assets = EffectTestAssets

    /// Counts the sprites that are rasterized from SVG.
    private final class Counter: Sendable {
        let count = Mutex(0)
    }

    @Test(
        "Rendering needs no SVG, and the pictures are the same",
        arguments: ["balloons", "heart", "rain", "thumbsUp"])
    func same(type: String) throws {
        let library = try Assets.library()
        let description = try #require(library.descriptions[type])
        let format = PictureFormat(width: 320, height: 180)
        let counter = Counter()
        let rasterizer: SpriteRasterizer = { svg, width, height in
            counter.count.withLock { $0 += 1 }
            return try EffectTestAssets.rasterizer(svg, width, height)
        }
        let prepared = PreparedSprites(
            of: description, library: library, rasterizer: rasterizer,
            geometry: DisplayGeometry(storedWidth: 320, storedHeight: 180), format: format)
        let before = counter.count.withLock { $0 }
        #expect(before > 0)
        let renderer = ParticleRenderer(library: library, rasterizer: rasterizer)
        renderer.adopt(prepared)
        let instance = EffectInstance(description: description, seed: 5, startTime: 0)
        for time in [0.3, 1.2, 2.4, 3.1] {
            let ahead = try Assets.draw([instance], at: time, on: format, with: renderer)
            #expect(ahead == (try Assets.draw([instance], at: time, on: format)))
        }
        #expect(counter.count.withLock { $0 } == before)
    }
}
