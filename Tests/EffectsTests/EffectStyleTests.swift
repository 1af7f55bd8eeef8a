import Reactions
import Testing

@testable import Effects
@testable import Raster

@Suite("Styles of effects")
struct EffectStyleTests {
    private typealias Assets = EffectTestAssets
    private let format = PictureFormat(width: 320, height: 180, chroma: .yuv444)

    private func description(_ type: String) throws -> EffectDescription {
        try #require(Assets.library().descriptions[type])
    }

    private func draw(
        _ type: String, _ style: EffectStyle, at time: Double, flat: Bool = true
    ) throws -> EffectTestFrame {
        let instance = EffectInstance(
            description: try description(type).styled(style), seed: 3, startTime: 0)
        return try Assets.draw([instance], at: time, on: format, flat: flat)
    }

    /// The mean distance of all luma samples from the flat picture's 120.
    private func change(_ frame: EffectTestFrame) -> Double {
        var sum = 0
        for y in 0..<180 { for x in 0..<320 { sum += abs(frame[.luma, x, y] - 120) } }
        return Double(sum) / (320 * 180)
    }

    @Test("The default style changes nothing", arguments: Assets.types)
    func usual(type: String) throws {
        let plain = EffectInstance(description: try description(type), seed: 3, startTime: 0)
        #expect(
            try draw(type, EffectStyle(), at: 1.2, flat: false)
                == Assets.draw([plain], at: 1.2, on: format))
    }

    @Test("Lower intensity changes the picture less, but visibly", arguments: Assets.types)
    func intensity(type: String) throws {
        func total(_ intensity: Double) throws -> Double {
            try [0.6, 1.4, 2.2, 3.0].reduce(0) {
                try $0 + change(draw(type, EffectStyle(intensity: intensity), at: $1))
            }
        }
        let (none, half, full) = try (total(0), total(0.5), total(1))
        #expect(none > 0.05)
        #expect(none <= half * 1.02 && half <= full * 1.02, "\(none) \(half) \(full)")
    }

    @Test("With fewer pieces an effect is the same but for their number")
    func thinned() throws {
        let (all, half) = try (description("confetti"), description("confetti").thinned(to: 0.5))
        #expect(
            try description("confetti").thinned(to: 1).emitters.map(\.birth.count) == all.emitters.map(\.birth.count))
        for (emitter, thin) in zip(all.emitters, half.emitters) {
            if let count = emitter.birth.count {
                // Streamers and lights are few, and stay.
                #expect(thin.birth.count == (count > EffectStyle.fewPieces ? max((count / 2).rounded(), 4) : count))
            } else {
                #expect(thin.birth.rate == emitter.birth.rate / 2)
            }
            #expect(thin.appearance.opacity.maximum == emitter.appearance.opacity.maximum)
        }
    }

    @Test("A calm effect is a small icon that neither moves nor darkens", arguments: Assets.types)
    func calm(type: String) throws {
        let calm = EffectStyle(isCalm: true)
        let duration = try description(type).duration
        let early = try draw(type, calm, at: 1)
        #expect(early == (try draw(type, calm, at: duration / 2)))
        var touched = 0
        for y in 0..<180 {
            for x in 0..<320 where early[.luma, x, y] != 120 || early[.cb, x, y] != 120 { touched += 1 }
        }
        #expect((200...2000).contains(touched), "\(touched) pixels")
        // It fades in and out.
        let steps = try [0.05, 0.3, 0.7, duration - 0.7, duration - 0.3, duration - 0.05].map {
            try change(draw(type, calm, at: $0))
        }
        #expect(steps[0] < steps[1] && steps[1] < steps[2])
        #expect(steps[3] > steps[4] && steps[4] > steps[5])
    }

    @Test("A palette replaces the colours in their order, and again from the first")
    func palette() throws {
        let red = try #require(EffectColour(hex: "#800000"))
        let blue = try #require(EffectColour(hex: "#000080"))
        let style = EffectStyle(palette: EffectPalette(colours: [red, blue]))
        let own = try Assets.description(
            ##""count": 3, "shape": "disc", "colours": ["#111111", "#222222", "#333333"]"##)
        #expect(own.styled(style).emitters[0].appearance.colours == [red, blue, red])
        // There is no dark light.
        let light = try Assets.description(##""count": 1, "light": 1, "colours": ["#111111"]"##)
        #expect(light.styled(style).emitters[0].appearance.colours.map(\.hex) == ["#ff0000"])
        let grouped = try Assets.description(
            ##""count": 3, "colours": ["#111111", "#222222", "#333333"]"##,
            more: ##""palette": [["#333333", "#111111"]], "icon": {"colour": "#333333"},"##)
        let recoloured = grouped.styled(style)
        #expect(recoloured.emitters[0].appearance.colours.map(\.hex) == ["#800000", "#222222", "#800000"])
        #expect(recoloured.icon?.colour == red)
    }

    @Test("Rain and thumbs keep their colours by default")
    func keepers() throws {
        let green = try #require(EffectColour(hex: "#00ff00"))
        for type in Assets.types {
            let some = EffectStyle(palette: EffectPalette(colours: [green]))
            let all = EffectStyle(palette: EffectPalette(colours: [green], isEverywhere: true))
            let plain = try draw(type, EffectStyle(), at: 1.8)
            #expect((plain == (try draw(type, some, at: 1.8))) == ["rain", "thumbsUp", "thumbsDown"].contains(type))
            if type == "rain" { #expect(plain != (try draw(type, all, at: 1.8))) }
            // A colour of the palette that no emitter has would be a typing error.
            let description = try description(type)
            let used = description.emitters.reduce(into: [[EffectColour]]()) { $1.collectColours(into: &$0) }
            let unused = (description.palette ?? []).flatMap(\.colours).filter { !used.contains([$0]) }
            #expect(unused == [], "\(type)")
        }
    }
}
