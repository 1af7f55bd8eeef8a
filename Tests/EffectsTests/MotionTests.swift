import Testing

@testable import Effects
@testable import Raster

@Suite("The motion of pieces") struct MotionTests {
    private func particles(_ description: EffectDescription, at time: Double) -> [Particle] {
        var particles: [Particle] = []
        ParticleSystem(
            instance: EffectInstance(description: description, seed: 9, startTime: 2), time: time, aspectRatio: 16 / 9
        ).collect(into: &particles)
        return particles
    }

    @Test("Gusts carry all pieces of an effect alike, and their velocity is the slope of their path")
    func gusts() throws {
        let description = try EffectTestAssets.description(
            ##""count": 4, "over": 1.5, "life": 3, "gust": 0.8, "shape": "disc", "size": 0.1"##)
        let pieces = particles(description, at: 4)
        #expect(pieces.count == 4)
        let velocities = pieces.map { $0.velocity(age: 4 - $0.birth).x }
        let first = try #require(velocities.first)
        #expect(first.magnitude > 1e-3)
        for (piece, velocity) in zip(pieces, velocities) {
            #expect((velocity - first).magnitude < 1e-9)
            #expect(velocity.magnitude <= 0.8)
            let age = 4 - piece.birth, step = 1e-4
            let slope = (piece.position(age: age + step).x - piece.position(age: age - step).x) / (2 * step)
            #expect((slope - velocity).magnitude < 1e-3)
            #expect(piece.position(age: 0).x == piece.x)
        }
    }

    @Test("A streak follows the curve of its path")
    func curvedStreak() throws {
        let format = PictureFormat(width: 320, height: 180)
        // Thrown to the right, it falls: a parabola within its trail.
        let description = try EffectTestAssets.description(
            ##"""
            "count": 1, "anchor": "frame", "x": 0.2, "y": 0.3, "angle": 0, "speed": 1, "gravity": 1.4, "life": 2,
            "shape": "streak", "trail": 0.9, "aspect": 0.01, "size": 0.03, "colours": ["#ffffff"]
            """##)
        let instance = EffectInstance(description: description, seed: 9, startTime: 0)
        var pieces: [Particle] = []
        ParticleSystem(instance: instance, time: 0.9, aspectRatio: 16 / 9).collect(into: &pieces)
        let piece = try #require(pieces.first)
        let birth = piece.birth
        let drawn = try EffectTestAssets.draw([instance], at: birth + 0.9, on: format, flat: true)
        for age in [0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.85] {
            let place = piece.position(age: age)
            #expect(drawn[.luma, Int(place.x * 180), Int(place.y * 180)] > 190, "at \(age)")
        }
        // The chord of the path.
        let (from, to) = (piece.position(age: 0), piece.position(age: 0.9))
        #expect(drawn[.luma, Int((from.x + to.x) * 90), Int((from.y + to.y) * 90)] == 120)
    }

    @Test("Texts, and sprites with margins, stay within the left and right edges", arguments: [0.0, 0.5, 1.0])
    func inside(x: Double) throws {
        let format = PictureFormat(width: 320, height: 180)
        for key in [##""text": "wide""##, ##""sprite": "heart", "aspect": 3, "inside": 0.01"##] {
            var description = try EffectTestAssets.description(
                ##""count": 2, "anchor": "frame", "x": \##(x), "y": 0.5, "shape": "sprite", "size": 0.2, \##(key)"##)
            description.emitters = description.emitters.map { emitter in
                emitter.changed { _, appearance in appearance.sprite = "heart" }
            }
            let instance = EffectInstance(description: description, seed: 1, startTime: 0)
            let drawn = try EffectTestAssets.draw([instance], at: 1, on: format, flat: true)
            let columns = (0..<320).filter { x in (0..<180).contains { drawn[.luma, x, $0] != 120 } }
            // The whole ball is in the picture, up to its transparent corners.
            let width = key.contains("aspect") ? 3.0 : 1.0
            #expect(columns.count >= Int(0.2 * 180 * width * 0.9), "\(key)")
        }
    }
}
