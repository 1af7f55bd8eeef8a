import Testing

@testable import Effects
@testable import Raster

/// WCAG 2.3.1: no more than three general flashes in any second. A flash is a rise and a
/// fall of relative luminance by a tenth of its maximum or more, the darker below 0.8.
@Suite("Flashes of effects")
struct EffectFlashTests {
    /// How often a curve has gone up and down again by a tenth within a window of `window` samples.
    static func flashes(in luminance: [Double], window: Int) -> Int {
        var worst = 0
        for first in luminance.indices {
            var turns = 0
            var extreme = luminance[first]
            var rising: Bool?
            for value in luminance[first..<min(first + window, luminance.count)] {
                switch rising {
                case nil:
                    if abs(value - extreme) >= 0.1 {
                        rising = value > extreme
                        turns += 1
                        extreme = value
                    }
                case true?:
                    if value > extreme { extreme = value } else if extreme - value >= 0.1 {
                        (rising, extreme, turns) = (false, value, turns + 1)
                    }
                case false?:
                    if value < extreme { extreme = value } else if value - extreme >= 0.1 {
                        (rising, extreme, turns) = (true, value, turns + 1)
                    }
                }
            }
            worst = max(worst, turns / 2)
        }
        return worst
    }

    @Test("The measure counts flashes")
    func measure() {
        let strobe = (0..<30).map { $0 % 6 < 3 ? 0.1 : 0.5 }
        #expect(Self.flashes(in: strobe, window: 30) > 3)
        #expect(Self.flashes(in: [Double](repeating: 0.3, count: 30), window: 30) == 0)
    }

    @Test("No quarter of the picture flashes more than three times a second",
          arguments: EffectTestAssets.types)
    func effects(type: String) throws {
        let description = try #require(EffectTestAssets.library().descriptions[type])
        try expectNoFlashes([EffectInstance(description: description, seed: 5, startTime: 0)])
    }

    @Test("Nor do any two effects at once, begun together or one soon after the other",
          arguments: EffectTestAssets.types)
    func overlaps(type: String) throws {
        let library = try EffectTestAssets.library()
        let first = try #require(library.descriptions[type])
        // Each pair once; every other one begins together.
        for (index, other) in EffectTestAssets.types.enumerated() where other >= type {
            let second = try #require(library.descriptions[other])
            try expectNoFlashes([
                EffectInstance(description: first, seed: 5, startTime: 0),
                EffectInstance(description: second, seed: 6, startTime: index % 2 == 0 ? 0 : 0.7),
            ])
        }
    }

    private func expectNoFlashes(_ instances: [EffectInstance]) throws {
        let renderer = try EffectTestAssets.renderer()
        // The many pairs are looked at smaller and less often: 12 frames a second still show
        // each of four flashes.
        let (width, height, rate) = instances.count > 1 ? (32, 18, 12) : (64, 36, 30)
        let format = PictureFormat(width: width, height: height)
        let end = instances.map(\.endTime).max() ?? 0
        var quarters = [[Double]](repeating: [], count: 4)
        for frame in 0..<Int(end * Double(rate)) {
            let picture = try EffectTestAssets.draw(
                instances, at: Double(frame) / Double(rate), on: format, flat: true, with: renderer)
            var sums = [Double](repeating: 0, count: 4)
            for y in 0..<height {
                for x in 0..<width {
                    let v = min(max(Double(picture[.luma, x, y] - 16) / 219, 0), 1)
                    sums[(y * 2 / height) * 2 + x * 2 / width] += v * v * 4 / Double(width * height)
                }
            }
            for q in 0..<4 { quarters[q].append(sums[q]) }
        }
        for quarter in quarters {
            #expect(
                Self.flashes(in: quarter, window: rate) <= 3,
                "\(instances.map { "\($0.description.type) at \($0.startTime) s" })")
        }
    }
}
