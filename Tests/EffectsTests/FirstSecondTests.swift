import Testing

@testable import Effects
@testable import Raster

/// An effect answers a person who has just held a gesture: it must be visible at once, and soon at its full strength.
@Suite("The first second of effects") struct FirstSecondTests {
    private static let format = PictureFormat(width: 320, height: 180)

    /// Returns the share of the picture that an effect changes visibly at a time, as a mean over some seeds.
    private static func cover(_ description: EffectDescription, at time: Double) throws -> Double {
        let plain = EffectTestFrame(format, flat: true)
        var changed = 0
        let seeds: [UInt64] = [1, 2, 3, 4]
        for seed in seeds {
            let instance = EffectInstance(
                description: description, seed: seed, startTime: 0, originX: 0.5, originY: 0.7)
            let drawn = try EffectTestAssets.draw([instance], at: time, on: format, flat: true)
            for y in 0..<format.height {
                for x in 0..<format.width where abs(drawn[.luma, x, y] - plain[.luma, x, y]) > 8 { changed += 1 }
            }
        }
        return Double(changed) / Double(format.width * format.height * seeds.count)
    }

    @Test("Something unmistakable is visible within 0.15 s", arguments: EffectTestAssets.types)
    func atOnce(type: String) throws {
        let description = try #require(EffectTestAssets.library().descriptions[type])
        #expect(try Self.cover(description, at: 0.15) > 0.015)
    }

    @Test("Most of the greatest effect is visible within 0.7 s", arguments: EffectTestAssets.types)
    func fullStrength(type: String) throws {
        var description = try #require(EffectTestAssets.library().descriptions[type])
        // The dimming, which covers everything, is measured by its own entrance.
        if description.dim != nil { #expect(description.entrance <= 0.7) }
        description.dim = nil
        let covers = try stride(from: 1.0, to: 4.0, by: 0.25).map { try Self.cover(description, at: $0) }
        let usual = covers.reduce(0, +) / Double(covers.count)
        #expect(try Self.cover(description, at: 0.7) > 0.6 * usual)
    }
}
