import Testing

@testable import Effects
@testable import Raster

@Suite("Exactness of effects")
struct EffectExactnessTests {
    private typealias Assets = EffectTestAssets
    private let format = PictureFormat(width: 160, height: 90)

    /// The pictures of a second of an effect, drawn one after the other by one renderer.
    private func pictures(_ type: String, at times: [Double]) throws -> [String] {
        let instance = EffectInstance(
            description: try #require(Assets.library().descriptions[type]), seed: 11, startTime: 4)
        let renderer = try Assets.renderer()
        return try times.map { try Assets.draw([instance], at: $0, on: format, with: renderer).checksum }
    }

    @Test("The same time has the same picture at every constant or variable frame rate", arguments: Assets.types)
    func rates(type: String) throws {
        // Fifths of a second are frames of all these rates.
        let shared = (0...5).map { 5 + Double($0) / 5 }
        let expected = try pictures(type, at: shared)
        #expect(Set(expected).count == 6)
        for rate in [25, 30, 50, 60] {
            let times = (0...rate).map { 5 + Double($0) / Double(rate) }
            let drawn = try pictures(type, at: times)
            #expect((0...5).map { drawn[$0 * rate / 5] } == expected, "\(rate) frames a second")
        }
        // Steps of all lengths, as calls and screen recordings have them.
        let uneven = [4.9, 5, 5.003, 5.19, 5.2, 5.4, 5.41, 5.6, 5.799, 5.8, 6]
        let drawn = try pictures(type, at: uneven)
        #expect([1, 4, 5, 7, 9, 10].map { drawn[$0] } == expected)
    }

    @Test("Renderers on many threads at once draw the same bytes")
    func threads() async throws {
        let times = [4.5, 5.5, 6.5]
        for type in ["confetti", "lasers"] {
            let alone = try pictures(type, at: times)
            let together = try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<6 { group.addTask { try pictures(type, at: times) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(together.allSatisfy { $0 == alone })
        }
    }
}
