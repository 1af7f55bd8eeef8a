import Foundation
import Reactions
import TestSupport
import Testing

@testable import Effects
@testable import Raster

/// WCAG 2.3.1: no more than three general flashes in any second, with any combination of effects and styles.
@Suite("Flashes of effects")
struct EffectFlashTests {
    @Test("The measure counts flashes of an area, and nothing else")
    func measure() {
        func flashes(_ area: Int, _ low: Double, _ high: Double) -> Int {
            var meter = FlashMeter(rate: 30)
            for frame in 0..<60 {
                let value = frame % 6 < 3 ? low : high
                meter.add(
                    (0..<FlashMeter.columns * FlashMeter.rows).map {
                        let grey = $0 % FlashMeter.columns < area ? value : low
                        return FlashMeter.Light(red: grey, green: grey, blue: grey)
                    })
            }
            return meter.flashes()
        }
        #expect(flashes(32, 0.1, 0.5) == 5)
        #expect(flashes(32, 0.3, 0.39) == 0)
        #expect(flashes(32, 0.82, 1) == 0)
        // Three of a field's ten columns are more than a quarter of it, two are not.
        #expect(flashes(3, 0.1, 0.5) == 5)
        #expect(flashes(2, 0.1, 0.5) == 0)
    }

    @Test("The measure counts flashes of saturated red, and nothing else")
    func redMeasure() {
        func flashes(_ on: FlashMeter.Light, _ off: FlashMeter.Light) -> (red: Int, general: Int) {
            var meter = FlashMeter(rate: 30)
            for frame in 0..<60 {
                meter.add(Array(repeating: frame % 6 < 3 ? off : on, count: FlashMeter.columns * FlashMeter.rows))
            }
            return (meter.redFlashes(), meter.flashes())
        }
        let dark = FlashMeter.Light(red: 0, green: 0, blue: 0)
        // Pure red at 0.4 is too dark for a general flash.
        #expect(flashes(.init(red: 0.4, green: 0, blue: 0), dark) == (5, 0))
        #expect(flashes(.init(red: 0.06, green: 0, blue: 0), dark) == (0, 0))
        // Three quarters of the light are red: not saturated.
        #expect(flashes(.init(red: 0.6, green: 0.1, blue: 0.1), dark) == (0, 5))
        #expect(flashes(.init(red: 0.4, green: 0, blue: 0), .init(red: 0.4, green: 0.4, blue: 0)).red == 5)
    }

    /// The clips 2Hz_6s and 3Hz_6s of IRIS, an analyser by Electronic Arts (github.com/electronicarts/IRIS, expected
    /// results in test/Iris.Tests/data): black, with two or three white flashes of three frames in each second of 25
    /// frames. It reports at most five and seven changes of luminance a second, and that both clips pass.
    @Test(
        "The measure agrees with published results of another analyser",
        arguments: [([5, 11], 5), ([5, 11, 16], 7)])
    func publishedClips(starts: [Int], changes: Int) {
        var meter = FlashMeter(rate: 25)
        for frame in 0..<149 {
            let isWhite = starts.contains { ($0..<$0 + 3).contains(frame % 25) }
            meter.add(Self.picture(isWhite ? .white : .black))
        }
        #expect(meter.flashes() == changes / 2 && changes / 2 <= 3)
        #expect(meter.redFlashes() == 0)
    }

    /// IRIS's test of a frame sequence (test/Iris.Tests/src/FlashDetectionTests.cpp): black, white, red, white, red have
    /// four changes of luminance and three of redness, since pure red has a luminance of 0.2126 and a redness of 320.
    @Test("The measure agrees with published results for pure red")
    func publishedColours() {
        var meter = FlashMeter(rate: 7)
        for light in [FlashMeter.Light.black, .white, .red, .white, .red] { meter.add(Self.picture(light)) }
        #expect(meter.flashes() == 4 / 2)
        #expect(meter.redFlashes() == 3 / 2)
    }

    /// WCAG 2.3.1 states the area in pixels of a screen of 1024 × 768: a quarter of 341 × 256 pixels, which are 21,824.
    /// A cell has 1024 × 768 ÷ (32 × 18) = 1365⅓ pixels.
    @Test("The measure agrees with the published area", arguments: [(3, 5, 0), (4, 4, 5)])
    func publishedArea(rows: Int, columns: Int, flashes: Int) {
        var meter = FlashMeter(rate: 30)
        for frame in 0..<60 {
            meter.add(
                (0..<FlashMeter.columns * FlashMeter.rows).map {
                    let isInside = $0 / FlashMeter.columns < rows && $0 % FlashMeter.columns < columns
                    return isInside && frame % 6 >= 3 ? .white : .black
                })
        }
        #expect((Double(rows * columns) * 1024 * 768 / (32 * 18) > 21_824) == (flashes > 0))
        #expect(meter.flashes() == flashes)
    }

    private static func picture(_ light: FlashMeter.Light) -> [FlashMeter.Light] {
        Array(repeating: light, count: FlashMeter.columns * FlashMeter.rows)
    }

    /// Dark, middle and bright rooms, each with a seed.
    private static let rooms = [(35, UInt64(5)), (110, 6), (190, 7)]

    @Test("No effect flashes more than three times a second", arguments: EffectTestAssets.types, [0, 0.5, 1.0])
    func effects(type: String, intensity: Double) throws {
        let description = try #require(EffectTestAssets.library().descriptions[type])
        let style = EffectStyle(intensity: intensity)
        for (room, seed) in Self.rooms {
            let instance = EffectInstance(description: description.styled(style), seed: seed, startTime: 0)
            try expectFewFlashes([instance], room: room, rate: 30)
        }
    }

    @Test("No effect of a pack flashes more than three times a second", arguments: EffectTestAssets.packTypes)
    func packs(type: String) throws {
        let library = try EffectTestAssets.packs()
        let description = try #require(library.descriptions[type])
        for (room, seed) in Self.rooms {
            let instance = EffectInstance(description: description, seed: seed, startTime: 0)
            try expectFewFlashes([instance], room: room, rate: 15, library)
        }
    }

    @Test("No effect flashes too often in the brightest colours", arguments: EffectTestAssets.types)
    func white(type: String) throws {
        let description = try #require(EffectTestAssets.library().descriptions[type])
        let style = EffectStyle(palette: EffectPalette(colours: [.white], isEverywhere: true))
        let instance = EffectInstance(description: description.styled(style), seed: 8, startTime: 0)
        try expectFewFlashes([instance], room: 35, rate: 30)
    }

    @Test(
        "Two or three overlapping effects do not flash too often",
        arguments: EffectTestAssets.types)
    func overlaps(type: String) throws {
        let library = try EffectTestAssets.library()
        let types = EffectTestAssets.types
        let first = try #require(types.firstIndex(of: type))
        // Each pair and each three once; rooms, steps and intensities take turns.
        var turn = first
        for second in types.indices.dropFirst(first + 1) {
            for third in [nil] + types.indices.dropFirst(second + 1).map({ $0 }) {
                turn += 1
                let (room, seed) = Self.rooms[turn % 3]
                let step = [0, 0.35, 0.7][turn / 3 % 3]
                let style = EffectStyle(intensity: turn % 4 == 0 ? 0.4 : 1)
                let chosen = [first, second, third].compactMap(\.self)
                try expectFewFlashes(
                    chosen.enumerated().map { place, index in
                        EffectInstance(
                            description: try #require(library.descriptions[types[index]]).styled(style),
                            seed: seed + UInt64(place), startTime: step * Double(place))
                    }, room: room, rate: 15)
            }
        }
    }

    /// - Parameter room: the luma of the wall behind.
    private func expectFewFlashes(
        _ instances: [EffectInstance], room: Int, rate: Int, _ library: EffectLibrary? = nil
    ) throws {
        let renderer = try EffectTestAssets.renderer(library)
        let format = PictureFormat(width: FlashMeter.columns * 2, height: FlashMeter.rows * 2)
        let geometry = DisplayGeometry(storedWidth: format.width, storedHeight: format.height)
        let plain = EffectTestFrame(format, wall: room)
        var meter = FlashMeter(rate: rate)
        var limiter = FlashLimiter()
        var (base, drawn) = (LightCells(), LightCells())
        var limited = 0
        for frame in 0..<Int((instances.map(\.endTime).max() ?? 0) * Double(rate)) {
            let time = Double(frame) / Double(rate)
            var picture = plain
            try picture.lend { picture in picture.withPicture { base.read($0) } }
            try picture.lend { (picture) throws(EffectError) in
                try renderer.draw(instances, at: time, on: &picture, geometry: geometry)
                picture.withPicture { drawn.read($0) }
            }
            meter.add(picture.light)
            _ = limiter.begin(base, at: time)
            limited += limiter.excess(in: drawn, over: base, at: time) == nil ? 0 : 1
            limiter.show(drawn, over: base, at: time)
        }
        let (flashes, red) = (meter.flashes(), meter.redFlashes())
        let names = instances.map { "\($0.description.type) at \($0.startTime) s" }
        #expect(flashes <= 3 && red <= 3, "\(names) before a wall of \(room): \(flashes), red \(red)")
        #expect(limited == 0, "\(names) before a wall of \(room) would be weakened in \(limited) frames")
    }
}

extension EffectTestFrame {
    /// A grey wall.
    init(_ format: PictureFormat, wall: Int) {
        self.init(format, flat: true)
        for plane in Plane.allCases {
            for y in 0..<format.height(of: plane) {
                for x in 0..<format.width(of: plane) { self[plane, x, y] = plane == .luma ? wall : 128 }
            }
        }
    }

    /// Linear light of each code of an R′G′B′ component, by WCAG's definition of relative luminance.
    private static let linear = (0...255).map { code -> Double in
        let v = Double(code) / 255
        return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4)
    }

    /// The mean light of each 2 × 2 pixels of an 8-bit 4:2:0 BT.709 picture.
    var light: [FlashMeter.Light] {
        var cells: [FlashMeter.Light] = []
        for y in 0..<format.height / 2 {
            for x in 0..<format.width / 2 {
                let luma =
                    Double(
                        self[.luma, 2 * x, 2 * y] + self[.luma, 2 * x + 1, 2 * y] + self[.luma, 2 * x, 2 * y + 1]
                            + self[.luma, 2 * x + 1, 2 * y + 1]) / 4
                let base = (luma - 16) * 255 / 219
                let (cb, cr) = (Double(self[.cb, x, y] - 128) * 255 / 224, Double(self[.cr, x, y] - 128) * 255 / 224)
                func light(_ code: Double) -> Double { Self.linear[Int(min(max(code, 0), 255).rounded())] }
                cells.append(
                    FlashMeter.Light(
                        red: light(base + 1.5748 * cr), green: light(base - 0.1873 * cb - 0.4681 * cr),
                        blue: light(base + 1.8556 * cb)))
            }
        }
        return cells
    }
}
