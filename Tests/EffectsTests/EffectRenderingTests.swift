import Testing

@testable import Effects
@testable import Raster

@Suite("Drawing effects")
struct EffectRenderingTests {
    private let small = PictureFormat(width: 320, height: 180)
    private typealias Assets = EffectTestAssets

    @Test("All effects load, last three to six seconds and name their sprites")
    func assets() throws {
        let library = try Assets.library()
        #expect(library.descriptions.keys.sorted() == Assets.types)
        for description in library.descriptions.values {
            #expect((3...6).contains(description.duration))
        }
        #expect(Set(library.sprites.keys).isSuperset(of: ["balloon", "heart", "cloud", "thumbUp", "thumbDown"]))
    }

    @Test("A frame rendered alone equals the same frame rendered in sequence", arguments: Assets.types)
    func stateless(type: String) throws {
        let instance = EffectInstance(
            description: try #require(Assets.library().descriptions[type]), seed: 3, startTime: 10)
        let renderer = try Assets.renderer()
        for time in [10.1, 11.0, 13.2, 10.7] {
            _ = try Assets.draw([instance], at: time, on: small, with: renderer)
        }
        let after = try Assets.draw([instance], at: 11.6, on: small, with: renderer)
        #expect(after == (try Assets.draw([instance], at: 11.6, on: small)))
        let plain = EffectTestFrame(small)
        #expect(after != plain)
    }

    @Test("Nothing is drawn before the start or from the end on", arguments: Assets.types)
    func outside(type: String) throws {
        let instance = EffectInstance(
            description: try #require(Assets.library().descriptions[type]), seed: 3, startTime: 10)
        for time in [9.99, instance.endTime, instance.endTime + 1] {
            #expect(try Assets.draw([instance], at: time, on: small) == EffectTestFrame(small))
        }
    }

    @Test("The last frame of an effect has almost faded", arguments: Assets.types)
    func exit(type: String) throws {
        let instance = EffectInstance(
            description: try #require(Assets.library().descriptions[type]), seed: 3, startTime: 0)
        let last = try Assets.draw([instance], at: instance.endTime - 1.0 / 60, on: small)
        let plain = EffectTestFrame(small)
        var changed = 0
        for (a, b) in zip(last.bytes, plain.bytes) where abs(Int(a) - Int(b)) > 12 { changed += 1 }
        #expect(changed < last.bytes.count / 500)
    }

    @Test("Renewing an effect does not change earlier frames", arguments: Assets.types)
    func renewed(type: String) throws {
        var instance = EffectInstance(
            description: try #require(Assets.library().descriptions[type]), seed: 3, startTime: 0)
        let times = [1.4, 2.2]
        let before = try times.map { try Assets.draw([instance], at: $0, on: small) }
        let time = instance.endTime - instance.description.exit
        instance.renewals = [EffectRenewal(requestTime: time, burstTime: time, formerEnd: instance.endTime)]
        instance.endTime += 3
        #expect(try times.map { try Assets.draw([instance], at: $0, on: small) } == before)
    }

    @Test("An effect that is renewed while it fades returns without a flash", arguments: Assets.types)
    func renewedInTheExit(type: String) throws {
        let description = try #require(Assets.library().descriptions[type])
        var instance = EffectInstance(description: description, seed: 3, startTime: 0)
        let time = instance.endTime - 0.04
        let faded = try Assets.draw([instance], at: time, on: small)
        instance.renewals = [EffectRenewal(requestTime: time, burstTime: time, formerEnd: instance.endTime)]
        instance.endTime = time + description.duration
        #expect(try Assets.draw([instance], at: time, on: small) == faded)
        let next = try Assets.draw([instance], at: time + 1.0 / 30, on: small)
        let change = zip(faded.bytes, next.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(Double(change) / Double(faded.bytes.count) < 3)
    }

    @Test("A renewed effect shows as much as a new one: no empty screen, and nothing twice", arguments: Assets.types)
    func renewal(type: String) throws {
        let description = try #require(Assets.library().descriptions[type])
        let (start, late) = (1.2, description.duration - 0.1)
        func count(_ instance: EffectInstance, at time: Double) -> Int {
            var particles: [Particle] = []
            ParticleSystem(instance: instance, time: time, aspectRatio: 16 / 9).collect(into: &particles)
            return particles.count
        }
        let new = EffectInstance(description: description, seed: 3, startTime: 0)
        var renewed = new
        renewed.renewals = [EffectRenewal(requestTime: late, burstTime: late, formerEnd: new.endTime)]
        renewed.endTime = late + description.duration
        let maximum = count(new, at: start) + count(new, at: description.duration * 0.6)
        #expect(count(renewed, at: late + start) >= count(new, at: start) / 3)
        #expect(count(renewed, at: late + start) <= maximum)
        // Pieces that have expired do not reappear in the middle of their path.
        #expect(count(renewed, at: late - 0.001) == count(new, at: late - 0.001))
        let bursts = description.emitters.compactMap(\.birth.count).reduce(0, +)
        #expect(count(renewed, at: late + 0.02) - count(new, at: late + 0.02) <= Int(bursts) + 8)
    }

    @Test("Different seeds draw different pictures, and overlapping effects are composited")
    func seeds() throws {
        let library = try Assets.library()
        let confetti = try #require(library.descriptions["confetti"])
        let one = EffectInstance(description: confetti, seed: 1, startTime: 0)
        let two = EffectInstance(description: confetti, seed: 2, startTime: 0)
        let a = try Assets.draw([one], at: 1, on: small)
        let b = try Assets.draw([two], at: 1, on: small)
        let both = try Assets.draw([one, two], at: 1, on: small)
        #expect(a != b)
        #expect(both != a && both != b)
    }

    @Test(
        "Pixels that an effect does not touch stay exactly the same, at odd sizes too",
        arguments: ChromaSubsampling.allCases, [8, 10])
    func untouched(chroma: ChromaSubsampling, bitDepth: Int) throws {
        let format = PictureFormat(width: 187, height: 101, bitDepth: bitDepth, chroma: chroma)
        let disc = try Assets.description(
            ##""count": 1, "shape": "disc", "size": 0.4, "colours": ["#ffffff"]"##)
        let instance = EffectInstance(description: disc, seed: 1, startTime: 0)
        let drawn = try Assets.draw([instance], at: 1, on: format)
        let plain = EffectTestFrame(format)
        for plane in Plane.allCases {
            let sx = plane == .luma ? 0 : chroma.shiftX
            let sy = plane == .luma ? 0 : chroma.shiftY
            for y in 0..<format.height(of: plane) {
                for x in 0..<format.width(of: plane) {
                    let dx = Double(x << sx) + 0.5 - 93.5
                    let dy = Double(y << sy) + 0.5 - 50.5
                    let r = (dx * dx + dy * dy).squareRoot()
                    if r > 24 { #expect(drawn[plane, x, y] == plain[plane, x, y]) }
                    if r < 17 { #expect(drawn[plane, x, y] != plain[plane, x, y]) }
                }
            }
        }
    }

    @Test("A turned phone's picture shows the same upright effect")
    func rotated() throws {
        let instance = EffectInstance(
            description: try #require(Assets.library().descriptions["balloons"]), seed: 3, startTime: 0)
        let format = PictureFormat(width: 320, height: 180, chroma: .yuv444)
        let upright = try Assets.draw([instance], at: 2.2, on: format, flat: true)
        let turned = PictureFormat(width: 180, height: 320, chroma: .yuv444)
        let geometry = DisplayGeometry(
            storedWidth: 180, storedHeight: 320, orientation: Orientation(quarterTurns: 1))
        let stored = try Assets.draw([instance], at: 2.2, on: turned, flat: true, geometry: geometry)
        var unlike = 0
        for y in 0..<180 {
            for x in 0..<320 {
                let p = geometry.uprightToStored.apply(x: Double(x) + 0.5, y: Double(y) + 0.5)
                if abs(upright[.luma, x, y] - stored[.luma, Int(p.x), Int(p.y)]) > 12 { unlike += 1 }
            }
        }
        #expect(unlike < 320 * 180 / 200)
    }

    @Test("A disc on non-square pixels is round when they are shown")
    func sampleAspectRatio() throws {
        let disc = try Assets.description(##""count": 1, "shape": "disc", "size": 0.5, "colours": ["#ffffff"]"##)
        let instance = EffectInstance(description: disc, seed: 1, startTime: 0)
        let format = PictureFormat(width: 160, height: 180)
        let geometry = DisplayGeometry(storedWidth: 160, storedHeight: 180, sampleAspectRatio: 2)
        let frame = try Assets.draw([instance], at: 1, on: format, flat: true, geometry: geometry)
        let across = (0..<160).count { frame[.luma, $0, 90] > 200 }
        let down = (0..<180).count { frame[.luma, 80, $0] > 200 }
        #expect(abs(across * 2 - down) <= 3)
        #expect(abs(down - 90) <= 2)
    }

    @Test("People stand before what is behind them, and in the light while the room is dim")
    func mask() throws {
        let behind = try Assets.description(
            ##""layer": "behind", "count": 1, "shape": "disc", "size": 1.5, "colours": ["#ffffff"]"##,
            more: ##""dim": {"amount": 0.8}, "entrance": 0,"##)
        let instance = EffectInstance(description: behind, seed: 1, startTime: 0)
        let mask = BandMask(
            width: 2, height: 1, samples: [255, 0],
            geometry: DisplayGeometry(storedWidth: small.width, storedHeight: small.height))
        let frame = try Assets.draw([instance], at: 1, on: small, flat: true, mask: mask)
        #expect(frame[.luma, 60, 90] == 120)
        #expect(frame[.luma, 260, 90] > 220)
    }
}
