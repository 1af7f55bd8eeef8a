import Testing
@testable import Vision

struct HandOutlineTests {
    /// An open hand whose wrist is at (0.5, 0.8) of a square picture and whose middle finger points up. The palm is a
    /// quarter of the picture high.
    private static let open: [SIMD2<Float>] = {
        var points = [SIMD2<Float>(0.5, 0.8)]
        points += [(0.42, 0.74), (0.36, 0.68), (0.32, 0.62), (0.28, 0.57)].map { SIMD2($0, $1) }
        // Spread fingers, by their knuckles and the places of their tips.
        for (knuckle, tip) in [(-0.09, -0.2), (-0.03, -0.06), (0.04, 0.08), (0.09, 0.22)] as [(Float, Float)] {
            for joint in 0..<4 {
                let share = Float(joint) / 3
                points.append(SIMD2(0.5 + knuckle + (tip - knuckle) * share, 0.56 - 0.28 * share))
            }
        }
        return points
    }()

    private struct Mask {
        let width, height: Int
        var values: [Float]

        init(width: Int = 200, height: Int = 200, filledWith value: Float = 0) {
            (self.width, self.height) = (width, height)
            values = [Float](repeating: value, count: width * height)
        }

        mutating func draw(
            _ points: [SIMD2<Float>], confidence: Float = 1, strength: Float = 1, aspectRatio: Double = 1
        ) {
            HandOutline(points: points, confidence: confidence).draw(
                on: &values, width: width, height: height, aspectRatio: aspectRatio, strength: strength)
        }

        subscript(_ x: Double, _ y: Double) -> Float {
            values[Int(y * Double(height)) * width + Int(x * Double(width))]
        }
    }

    @Test func fingersAndPalmAreCovered() {
        var mask = Mask()
        mask.draw(Self.open)
        for point in Self.open { #expect(mask[Double(point.x), Double(point.y)] == 1) }
        #expect(mask[0.5, 0.7] == 1 && mask[0.45, 0.62] == 1)
        // Behind the wrist, but not far behind it.
        #expect(mask[0.5, 0.86] == 1 && mask[0.5, 0.99] == 0)
    }

    @Test func theRoomBetweenSpreadFingersIsNot() {
        var mask = Mask()
        mask.draw(Self.open)
        #expect(mask[0.37, 0.3] == 0 && mask[0.65, 0.3] == 0)
        #expect(mask[0.1, 0.1] == 0 && mask[0.9, 0.6] == 0)
    }

    @Test("A mask is only raised, up to the confidence")
    func confidence() {
        var mask = Mask(filledWith: 0.25)
        mask.draw(Self.open, confidence: 0.8, strength: 0.5)
        #expect(mask[0.5, 0.7] == 0.4)
        #expect(mask.values.allSatisfy { (0.25...0.4).contains($0) })
        mask = Mask(filledWith: 0.9)
        mask.draw(Self.open, confidence: 0.8)
        #expect(mask.values.allSatisfy { $0 == 0.9 })
        mask = Mask()
        mask.draw(Self.open, strength: 0)
        #expect(mask.values.allSatisfy { $0 == 0 })
    }

    /// The same hand covers the same share of the picture, whatever proportions picture and mask have.
    @Test(arguments: [(256, 144, 16.0 / 9), (256, 256, 16.0 / 9), (256, 256, 4.0 / 3), (256, 256, 0.5625)])
    func proportions(width: Int, height: Int, aspectRatio: Double) {
        var square = Mask(), wide = Mask(width: width, height: height)
        square.draw(Self.open)
        // The square in the middle of a wider or higher picture.
        let share = SIMD2<Float>(Float(1 / aspectRatio), 1)
        wide.draw(Self.open.map { ($0 - 0.5) * share + 0.5 }, aspectRatio: aspectRatio)
        let inSquare = Double(square.values.reduce(0, +)) / 40_000
        let inWide = Double(wide.values.reduce(0, +)) / Double(width * height) * aspectRatio
        #expect(abs(inWide / inSquare - 1) < 0.03)
    }

    @Test(
        "Hands that are cut off, tiny, or without a size",
        arguments: [
            SIMD2<Float>(-0.5, 0), SIMD2(0.6, 0.5), SIMD2(40, 40), SIMD2(-1e30, 1e30),
        ])
    func edges(shift: SIMD2<Float>) {
        var mask = Mask(width: 64, height: 36)
        mask.draw(Self.open.map { $0 + shift }, aspectRatio: 16.0 / 9)
        mask.draw(Self.open.map { ($0 - 0.5) * 1e-9 + 0.5 })
        mask.draw([SIMD2<Float>](repeating: SIMD2(0.5, 0.5), count: 21))
        mask.draw([SIMD2<Float>](repeating: SIMD2(.nan, .infinity), count: 21))
        #expect(mask.values.allSatisfy { (0...1).contains($0) })
    }
}
