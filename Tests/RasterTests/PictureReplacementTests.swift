import Testing

@testable import Raster

@Suite("Replacing the background of a picture")
struct PictureReplacementTests {
    private static let formats = [
        PictureFormat(width: 320, height: 180), PictureFormat(width: 321, height: 181),
        PictureFormat(width: 320, height: 180, bitDepth: 10, chroma: .yuv422),
        PictureFormat(width: 320, height: 180, chroma: .yuv444, matrix: .bt601, range: .full),
        PictureFormat(width: 320, height: 180, bitDepth: 10, transfer: .pq, primaries: .bt2020),
    ]

    /// A coarse mask with a person in the middle third.
    private static let mask = (
        width: 48, height: 27, values: (0..<48 * 27).map { (16..<32).contains($0 % 48) ? Float(1) : 0 }
    )

    /// The codes of luma of a person and of a wall, with a soft edge between them.
    private static func luma(_ x: Int, person: Int, wall: Int, width: Int) -> Int {
        let left = Double(x) - Double(width) / 3, right = Double(width) * 2 / 3 - Double(x)
        let share = max(0, min(1, (min(left, right) + 2) / 4))
        return Int((Double(wall) + Double(person - wall) * share).rounded())
    }

    private static func followed(_ picture: SyntheticPicture) -> PictureMatte {
        let matte = PictureMatte(picture.format)
        let geometry = DisplayGeometry(storedWidth: picture.format.width, storedHeight: picture.format.height)
        matte.adopt(mask.values, width: mask.width, height: mask.height, strength: 1, geometry: geometry)
        picture.withPicture { matte.follow($0, at: 0) }
        return matte
    }

    private static func value(_ picture: SyntheticPicture, _ plane: Plane, _ x: Int, _ y: Int) -> Int {
        picture.withPicture { picture in
            picture.format.bitDepth == 8
                ? picture.with8BitPlane(plane) { Int($0[y * $1 + x]) }
                : picture.with16BitPlane(plane) { Int($0[y * $1 + x]) }
        }
    }

    /// Returns the picture before a ground, and its matte.
    private static func replaced(
        _ picture: SyntheticPicture, by ground: SyntheticPicture, toward mean: GridColour? = nil
    ) -> PictureMatte {
        let matte = followed(picture)
        let replacement = PictureReplacement(matte)
        picture.withPicture { replacement.follow($0, toward: mean, at: 0, matte: matte) }
        picture.withMutable { picture in
            ground.withPicture { replacement.draw($0, on: &picture, matte: matte) }
        }
        return matte
    }

    @Test("Where nobody is, the ground is exact; people keep their samples", arguments: formats)
    func exactness(_ format: PictureFormat) {
        let step = 1 << (format.bitDepth - 8), middle = 128 * step
        let scene = SyntheticPicture(format) { plane, x, y in
            plane == .luma ? Self.luma(x, person: 90 * step, wall: 180 * step, width: format.width) : middle + y % 3
        }
        let ground = SyntheticPicture(format) { plane, x, y in
            plane == .luma ? (40 + (x + 3 * y) % 120) * step : middle - 20 * step + (x + y) % 40
        }
        let before = SyntheticPicture(format) { plane, x, y in Self.value(scene, plane, x, y) }
        let matte = Self.replaced(scene, by: ground)
        var outside = 0, inside = 0
        for y in 0..<format.height {
            for x in 0..<format.width {
                switch matte.samples[y * format.width + x] {
                case 0:
                    #expect(Self.value(scene, .luma, x, y) == Self.value(ground, .luma, x, y))
                    outside += 1
                case 255:
                    #expect(Self.value(scene, .luma, x, y) == Self.value(before, .luma, x, y))
                    inside += 1
                default: break
                }
            }
        }
        let (x, y) = (format.width(of: .cb) / 10, format.height(of: .cb) / 2)
        #expect(Self.value(scene, .cb, x, y) == Self.value(ground, .cb, x, y))
        #expect(Self.value(scene, .cr, x, y) == Self.value(ground, .cr, x, y))
        #expect(outside > format.width * format.height / 3 && inside > format.width * format.height / 6)
    }

    @Test("A bright wall leaves no rim around a dark person before a dark ground")
    func spill() {
        let format = PictureFormat(width: 320, height: 180)
        let scene = SyntheticPicture(format) { plane, x, _ in
            plane == .luma ? Self.luma(x, person: 60, wall: 220, width: 320) : 128
        }
        let naive = SyntheticPicture(format) { plane, x, y in Self.value(scene, plane, x, y) }
        let ground = SyntheticPicture(format) { plane, _, _ in plane == .luma ? 30 : 128 }
        let matte = Self.replaced(scene, by: ground)
        var rim = 0, plain = 0.0
        for y in stride(from: 10, to: 170, by: 8) {
            // Samples of which the matte says that they are all person stay as they are.
            for x in 90..<230 where matte.samples[y * 320 + x] < 255 {
                rim = max(rim, Self.value(scene, .luma, x, y))
                let share = Double(matte.samples[y * 320 + x]) / 255
                plain = max(plain, Double(Self.value(naive, .luma, x, y)) * share + 30 * (1 - share))
            }
        }
        #expect(plain > 90, "the case must show a rim without the estimate")
        #expect(rim <= 68, "without the estimate it is \(plain)")
    }

    @Test("People adopt a little of the ground's light, within limits, and black stays black")
    func light() {
        let format = PictureFormat(width: 320, height: 180)
        func person(before code: Int) -> (grey: Int, black: Int) {
            let scene = SyntheticPicture(format) { plane, x, y in
                plane == .luma ? Self.luma(x, person: y < 90 ? 126 : 16, wall: 126, width: 320) : 128
            }
            let ground = SyntheticPicture(format) { plane, _, _ in plane == .luma ? code : 128 }
            _ = Self.replaced(scene, by: ground, toward: ground.withPicture { GridColour(meanOf: $0) })
            return (Self.value(scene, .luma, 160, 40), Self.value(scene, .luma, 160, 140))
        }
        let dark = person(before: 16), same = person(before: 126), bright = person(before: 235)
        #expect(dark.grey < same.grey && same.grey < bright.grey)
        #expect(abs(same.grey - 126) <= 1 && dark.grey >= 114 && bright.grey <= 138)
        #expect(dark.black == 16 && bright.black <= 17)
    }

    @Test("The samples of a colour are those of the matrix and the range")
    func colours() {
        let limited = PictureFormat(width: 2, height: 2).samples(red: 0, green: 1, blue: 0)
        #expect(limited == (173, 42, 26))
        let full = PictureFormat(width: 2, height: 2, matrix: .bt601, range: .full).samples(red: 1, green: 1, blue: 1)
        #expect(full == (255, 128, 128))
        let deep = PictureFormat(width: 2, height: 2, bitDepth: 10).samples(red: 0, green: 0, blue: 0)
        #expect(deep == (64, 512, 512))
    }

    @Test("Orientations compose, and undo each other")
    func orientations() {
        let all = (0..<4).flatMap { turns in [false, true].map { Orientation(quarterTurns: turns, mirrored: $0) } }
        /// Returns the places to which an orientation moves the corners of a square.
        func corners(_ orientation: Orientation, of places: [Int]) -> [Int] {
            var square = orientation.mirrored ? [places[1], places[0], places[3], places[2]] : places
            for _ in 0..<orientation.quarterTurns { square = [square[2], square[0], square[3], square[1]] }
            return square
        }
        for one in all {
            #expect(one.then(one.inverse) == .upright)
            for other in all {
                #expect(
                    corners(one.then(other), of: [0, 1, 2, 3]) == corners(other, of: corners(one, of: [0, 1, 2, 3])))
            }
        }
    }
}
