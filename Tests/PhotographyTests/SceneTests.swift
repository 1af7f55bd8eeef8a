import Foundation
import Raster
import Testing

@testable import Photography

@Suite struct SceneTests {
    @Test("Two frames determine noise and brightness despite motion", arguments: [8, 10])
    func reading(bitDepth: Int) throws {
        let format = PictureFormat(width: 320, height: 180, bitDepth: bitDepth)
        let unit = Double(1 << (bitDepth - 8))
        for (level, deviation) in [(40.0, 0.5), (120, 4), (200, 12)] {
            func scene(_ time: Double) -> TestPicture {
                TestPicture(format) { plane, x, y in
                    let moves = plane == .luma && y < 60 ? 30 * sin((Double(x) + 9 * time) / 5) : 0
                    return (plane == .luma ? level + moves : 128) * unit
                }
            }
            let (a, b) = (scene(0).noisy(deviation, seed: 1), scene(1).noisy(deviation, seed: 2))
            let found = a.withPicture { a in b.withPicture { SceneMeter.reading(a, $0) } }
            let reading = try #require(found)
            let strength = deviation * (0.4 + 0.6 * level / 128).squareRoot()
            #expect(abs(reading.noise - strength) < 0.2 * strength + 0.2, "\(reading)")
            #expect(abs(reading.brightness - (level - 16) / 219) < 0.05, "\(reading)")
        }
    }

    @Test("Frames of other sizes, and tiny ones, yield no estimate")
    func others() {
        func flat(_ width: Int, _ height: Int) -> TestPicture {
            TestPicture(PictureFormat(width: width, height: height)) { _, _, _ in 90 }
        }
        #expect(flat(64, 48).withPicture { a in flat(64, 50).withPicture { SceneMeter.reading(a, $0) } } == nil)
        #expect(flat(9, 9).withPicture { a in flat(9, 9).withPicture { SceneMeter.reading(a, $0) } } == nil)
    }
}
