import Testing

@testable import Effects
@testable import Raster

@Suite("Moving aside from heads") struct HeadFieldTests {
    private let head = EffectHead(x: 0.5, y: 0.4, halfWidth: 0.08, halfHeight: 0.16)
    private let aspectRatio = 16.0 / 9

    @Test("What rises past a head flows around it continuously, and never covers its middle")
    func flow() {
        let field = HeadField([head], aspectRatio: aspectRatio)
        let half = (x: 0.06, y: 0.06)
        for start in stride(from: 0.3, through: 0.7, by: 0.005) {
            var last: Double?
            for step in 0...200 {
                let y = 1.1 - Double(step) * 0.006
                let x = field.aside((start * aspectRatio, y), half: half).x
                if let last { #expect((x - last).magnitude < 0.03, "\(start) at \(y)") }
                last = x
                // Only what aims at the very middle of the head may cross it.
                let isOverFace = (y - head.y).magnitude < head.halfHeight * 0.8
                if isOverFace, (start - 0.5).magnitude > 0.012 {
                    #expect((x - 0.5 * aspectRatio).magnitude > head.halfWidth * aspectRatio * 0.8, "\(start) at \(y)")
                }
            }
            #expect(field.aside((start * aspectRatio, 1.1), half: half).x == start * aspectRatio)
        }
    }

    @Test("A head far away, or without weight, displaces nothing")
    func nothing() {
        var weightless = head
        weightless.weight = 0
        let field = HeadField([weightless], aspectRatio: aspectRatio)
        #expect(field.aside((0.9, 0.4), half: (0.1, 0.1)) == (0.9, 0.4))
        let present = HeadField([head], aspectRatio: aspectRatio)
        #expect((present.aside((0.05, 0.4), half: (0.05, 0.05)).x - 0.05).magnitude < 0.02)
    }

    private func bubble(_ heads: [EffectHead]) throws -> (x: Double, y: Double) {
        let description = try EffectTestAssets.description(
            ##""count": 1, "inside": 0.15, "shape": "sprite", "sprite": "heart", "size": 0.2"##)
        var instance = EffectInstance(
            description: description, seed: 1, startTime: 0, originX: 0.72, originY: 0.45)
        instance.heads = heads
        var particles: [Particle] = []
        ParticleSystem(instance: instance, time: 1, aspectRatio: aspectRatio).collect(into: &particles)
        let particle = try #require(particles.first)
        return (particle.x, particle.y)
    }

    @Test("The figure of an effect follows the nearest head, and moves aside when the head comes nearer")
    func figure() throws {
        let alone = try bubble([])
        // Only the very end of the head's influence reaches the bubble.
        let beside = try bubble([head])
        #expect((beside.x - alone.x).magnitude < 0.02 && beside.y == alone.y)
        var moved = head
        (moved.x, moved.movedX, moved.y, moved.movedY) = (0.45, -0.05, 0.35, -0.05)
        let following = try bubble([moved])
        #expect((following.x - (alone.x - 0.05 * aspectRatio)).magnitude < 0.02)
        #expect((following.y - (alone.y - 0.05)).magnitude < 1e-9)
        // A head that was first seen where it is now.
        var near = head
        near.x = 0.66
        #expect(try bubble([near]).x > alone.x + 0.05)
        // Within its margins in any case.
        near.x = 0.72
        (near.halfWidth, near.movedX) = (0.3, 0.3)
        let kept = try bubble([near])
        #expect(kept.x >= 0.15 && kept.x <= aspectRatio - 0.15)
    }

    @Test("Pieces of built-in effects move aside from a head", arguments: ["heart", "balloons"])
    func pieces(type: String) throws {
        let description = try #require(EffectTestAssets.library().descriptions[type])
        #expect(description.movesAside)
        let format = PictureFormat(width: 320, height: 180)
        var instance = EffectInstance(description: description, seed: 3, startTime: 0, originX: 0.5, originY: 0.7)
        let alone = try EffectTestAssets.draw([instance], at: 1.2, on: format)
        instance.heads = [head]
        let aside = try EffectTestAssets.draw([instance], at: 1.2, on: format)
        #expect(alone != aside)
    }
}
