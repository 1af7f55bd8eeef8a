import Testing

@testable import Raster

@Suite struct BandMaskTests {
    /// A mask's value at a place of the stored picture, computed naively.
    private func expected(
        _ samples: [UInt8], _ width: Int, _ height: Int, _ geometry: DisplayGeometry, _ x: Int, _ y: Int
    ) -> Double {
        let toMask = geometry.uprightToStored.inverse.then(
            .scale(x: Double(width) / geometry.uprightWidth, y: Double(height) / geometry.uprightHeight))
        let place = toMask.apply(x: Double(x) + 0.5, y: Double(y) + 0.5)
        let mx = min(max(place.x - 0.5, 0), Double(width - 1)), my = min(max(place.y - 0.5, 0), Double(height - 1))
        let (ix, iy) = (Int(mx), Int(my))
        let (fx, fy) = (mx - Double(ix), my - Double(iy))
        func sample(_ x: Int, _ y: Int) -> Double {
            Double(samples[min(y, height - 1) * width + min(x, width - 1)])
        }
        return (sample(ix, iy) * (1 - fx) + sample(ix + 1, iy) * fx) * (1 - fy)
            + (sample(ix, iy + 1) * (1 - fx) + sample(ix + 1, iy + 1) * fx) * fy
    }

    private static let orientations = (0..<4).flatMap { turns in
        [false, true].map { Orientation(quarterTurns: turns, mirrored: $0) }
    }

    @Test(
        "Scaling and interpolation match naive sampling in every orientation",
        arguments: orientations)
    func sampling(orientation: Orientation) {
        let (width, height) = (9, 6)
        // Room on the left, people on the right, random values between.
        let samples = (0..<width * height).map { i -> UInt8 in
            let x = i % width
            return x < 3 ? 0 : x > 5 ? 255 : UInt8((i * 71) % 256)
        }
        for (storedWidth, storedHeight) in [(64, 48), (33, 57), (5, 4)] {
            let geometry = DisplayGeometry(
                storedWidth: storedWidth, storedHeight: storedHeight, sampleAspectRatio: 1.5,
                orientation: orientation)
            let mask = BandMask(width: width, height: height, samples: samples, geometry: geometry)
            var room = [UInt16](repeating: 0, count: storedWidth)
            var worst = 0.0
            for y in 0..<storedHeight {
                var reached = 0
                mask.forEachInterval(inRow: y, of: 0..<storedWidth) { kind, pixels in
                    #expect(pixels.lowerBound == reached)
                    reached = pixels.upperBound
                    if kind == .edge {
                        var span = room.mutableSpan
                        mask.fillRoom(&span, y: y, pixels: pixels)
                    }
                    for x in pixels {
                        let person: Double =
                            switch kind {
                            case .room: 0
                            case .person, .rim: 255
                            case .edge: 255 * (1 - Double(room[x]) / 65535)
                            }
                        worst = max(worst, abs(person - expected(samples, width, height, geometry, x, y)))
                    }
                }
                #expect(reached == storedWidth)
            }
            #expect(worst <= 2.1)
        }
    }

    @Test func partsOfARowAreTheSameAsTheWhole() {
        let samples = (0..<64).map { UInt8(($0 * 37) % 256) }
        let geometry = DisplayGeometry(storedWidth: 100, storedHeight: 40)
        let mask = BandMask(width: 8, height: 8, samples: samples, geometry: geometry)
        var whole = [UInt16](repeating: 0, count: 100), part = whole
        func fill(_ row: inout [UInt16], _ pixels: Range<Int>) {
            var span = row.mutableSpan
            mask.fillRoom(&span, y: 17, pixels: pixels)
        }
        fill(&whole, 0..<100)
        for start in Swift.stride(from: 0, to: 100, by: 13) {
            fill(&part, start..<min(start + 13, 100))
        }
        #expect(whole == part)
    }
}
