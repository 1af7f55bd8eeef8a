import Testing

@testable import Raster

@Suite("Portrait and Studio Light")
struct VideoEffectTests {
    private static let formats = [
        PictureFormat(width: 320, height: 180), PictureFormat(width: 321, height: 181),
        PictureFormat(width: 320, height: 180, bitDepth: 10, chroma: .yuv422),
        PictureFormat(width: 320, height: 180, chroma: .yuv444, range: .full),
        PictureFormat(width: 320, height: 180, bitDepth: 10, transfer: .pq, primaries: .bt2020),
    ]

    /// A coarse mask with a person in the middle third.
    private static let mask = (
        width: 48, height: 27, values: (0..<48 * 27).map { (16..<32).contains($0 % 48) ? Float(1) : 0 }
    )

    /// A picture, its matte, and the effects' geometry.
    private struct Scene {
        let picture: SyntheticPicture
        let matte: PictureMatte
        let geometry: DisplayGeometry

        init(_ format: PictureFormat, sample: (Plane, Int, Int) -> Int) {
            picture = SyntheticPicture(format, sample: sample)
            matte = PictureMatte(format)
            geometry = DisplayGeometry(storedWidth: format.width, storedHeight: format.height)
            follow(at: 0)
        }

        func follow(at time: Double) {
            matte.adopt(
                VideoEffectTests.mask.values, width: VideoEffectTests.mask.width, height: VideoEffectTests.mask.height,
                strength: 1, geometry: geometry)
            picture.withPicture { matte.follow($0, at: time) }
        }

        func luma(_ x: Int, _ y: Int) -> Int { value(.luma, x, y) }

        func value(_ plane: Plane, _ x: Int, _ y: Int) -> Int {
            picture.withPicture { picture in
                picture.format.bitDepth == 8
                    ? picture.with8BitPlane(plane) { Int($0[y * $1 + x]) }
                    : picture.with16BitPlane(plane) { Int($0[y * $1 + x]) }
            }
        }
    }

    /// The code of a share of the range from black to white.
    private static func code(_ share: Double, _ format: PictureFormat) -> Int {
        let step = Double(1 << (format.bitDepth - 8))
        return Int(
            (format.range == .limited ? (16 + 219 * share) * step : share * (Double(1 << format.bitDepth) - 1))
                .rounded())
    }

    private static func grey(_ format: PictureFormat) -> Int { 1 << (format.bitDepth - 1) }

    @Test("A uniform background stays uniform, and people are unchanged", arguments: formats)
    func uniform(_ format: PictureFormat) {
        let (wall, skin, grey) = (Self.code(0.7, format), Self.code(0.4, format), Self.grey(format))
        let third = format.width / 3
        let scene = Scene(format) { plane, x, _ in
            plane == .luma ? (third..<2 * third).contains(x) ? skin : wall : grey
        }
        let lens = PortraitLens(scene.matte)
        scene.picture.withMutable { lens.draw(1, on: &$0, matte: scene.matte) }
        let tolerance = 2 << (format.bitDepth - 8)
        for y in stride(from: 5, to: format.height, by: 20) {
            #expect(scene.luma(format.width / 2, y) == skin)
            #expect(abs(scene.luma(20, y) - wall) <= tolerance)
            #expect(abs(scene.luma(format.width - 20, y) - wall) <= tolerance)
            #expect(abs(scene.value(.cb, 10, y / 2) - grey) <= tolerance)
        }
    }

    @Test("The colour of people does not reach the background")
    func bleeding() {
        let format = PictureFormat(width: 320, height: 180)
        let scene = Scene(format) { plane, x, _ in
            let isPerson = plane == .luma ? (107..<213).contains(x) : (54..<106).contains(x)
            return plane == .luma ? (isPerson ? 90 : 140) : plane == .cr && isPerson ? 220 : 128
        }
        let lens = PortraitLens(scene.matte)
        scene.picture.withMutable { lens.draw(1, on: &$0, matte: scene.matte) }
        for x in [20, 40, 46, 114, 120, 140] { #expect(abs(scene.value(.cr, x, 45) - 128) <= 3, "column \(x)") }
        for x in [60, 80, 100] { #expect(scene.value(.cr, x, 45) == 220, "column \(x)") }
    }

    @Test("A point of light becomes a disc with an edge")
    func highlight() {
        let format = PictureFormat(width: 640, height: 360)
        let centre = (x: 100, y: 180)
        let scene = Scene(format) { plane, x, y in
            plane == .luma ? (abs(x - centre.x) < 6 && abs(y - centre.y) < 6 ? 235 : 30) : 128
        }
        let lens = PortraitLens(scene.matte)
        scene.picture.withMutable { lens.draw(1, on: &$0, matte: scene.matte) }
        // The radius is 4.5 % of 360 pixels.
        let (middle, inside) = (scene.luma(centre.x, centre.y), scene.luma(centre.x + 9, centre.y))
        #expect(middle > 60 && abs(middle - inside) <= 8)
        #expect(scene.luma(centre.x + 26, centre.y) <= 33)
        #expect(abs(scene.luma(centre.x - 9, centre.y) - inside) <= 6)
        #expect(abs(scene.luma(centre.x, centre.y + 9) - inside) <= 6)
    }

    @Test("A warm light stays as warm")
    func warmth() {
        let format = PictureFormat(width: 640, height: 360)
        let scene = Scene(format) { plane, x, y in
            let isLight = plane == .luma ? (96..<108).contains(x) : (48..<54).contains(x)
            return plane == .luma ? (isLight ? 225 : 30) : !isLight ? 128 : plane == .cr ? 136 : 108
        }
        let lens = PortraitLens(scene.matte)
        scene.picture.withMutable { lens.draw(1, on: &$0, matte: scene.matte) }
        // A dimmer light of the same colour is less coloured.
        let luma = Double(scene.luma(102, 180) - 16) / (225 - 16)
        let (cb, cr) = (128 - scene.value(.cb, 51, 90), scene.value(.cr, 51, 90) - 128)
        #expect(luma > 0.3 && luma < 0.95)
        #expect(abs(Double(cb) - 20 * luma) <= 2 && abs(Double(cr) - 8 * luma) <= 2, "\(luma) \(cb) \(cr)")
    }

    @Test("The blur grows with the strength")
    func strength() {
        func contrast(_ strength: Double) -> Int {
            let scene = Scene(PictureFormat(width: 640, height: 360)) { plane, x, _ in
                plane == .luma ? (x % 40 < 20 ? 60 : 180) : 128
            }
            let lens = PortraitLens(scene.matte)
            scene.picture.withMutable { lens.draw(strength, on: &$0, matte: scene.matte) }
            let row = (40..<120).map { scene.luma($0, 100) }
            return row.max()! - row.min()!
        }
        let contrasts = [0.3, 0.6, 1].map(contrast)
        #expect(contrasts[1] < contrasts[0] && contrasts[2] < contrasts[1] / 2, "\(contrasts)")
    }

    @Test("The matte follows an edge of the picture that the coarse mask misses")
    func edges() {
        // The person's edge is at 100; the mask has it at 107.
        let scene = Scene(PictureFormat(width: 320, height: 180)) { plane, x, _ in
            plane == .luma ? (100..<220).contains(x) ? 60 : 200 : 128
        }
        let row = scene.matte.samples[90 * 320..<91 * 320].map { Int($0) }
        #expect(row[95] < 20 && row[106] > 150, "\(row[92..<110])")
    }

    @Test("A mask of a rotated picture is placed upright", arguments: 0..<4)
    func orientation(turns: Int) {
        let format = PictureFormat(width: 180, height: 120)
        let geometry = DisplayGeometry(
            storedWidth: 180, storedHeight: 120, orientation: Orientation(quarterTurns: turns))
        let picture = SyntheticPicture(format) { plane, _, _ in plane == .luma ? 100 : 128 }
        let matte = PictureMatte(format)
        // A person in the upper third of the upright picture.
        let values = (0..<20 * 30).map { $0 / 20 < 10 ? Float(1) : 0 }
        matte.adopt(values, width: 20, height: 30, strength: 1, geometry: geometry)
        picture.withPicture { matte.follow($0, at: 0) }
        let places = [(90, 10), (10, 60), (90, 110), (170, 60)]
        let found = places.map { matte.samples[$0.1 * 180 + $0.0] > 128 }
        #expect(found == (0..<4).map { $0 == turns })
    }

    @Test("A mask at rest follows less than a quarter of a change of the coarse mask in a frame")
    func flicker() {
        let scene = Scene(PictureFormat(width: 320, height: 180)) { plane, _, _ in plane == .luma ? 120 : 128 }
        let before = scene.matte.samples
        scene.matte.adopt(
            [Float](repeating: 0, count: Self.mask.values.count), width: Self.mask.width, height: Self.mask.height,
            strength: 1, geometry: scene.geometry)
        scene.picture.withPicture { scene.matte.follow($0, at: 1 / 30) }
        let change = zip(before, scene.matte.samples).map { abs(Int($0) - Int($1)) }.max()!
        #expect(change > 0 && change < 64)
    }

    @Test("Light lifts faces and darkens the room, but keeps black and white", arguments: formats)
    func light(_ format: PictureFormat) {
        let third = format.width / 3
        let shades = [0.0, 0.25, 0.5, 0.75, 1].map { Self.code($0, format) }
        let scene = Scene(format) { plane, _, y in
            plane == .luma ? shades[min(y / 36, 4)] : Self.grey(format)
        }
        let light = StudioLight(scene.matte)
        let face = Rectangle(left: 0.4, top: 0.2, right: 0.6, bottom: 0.8)
        light.follow([face], at: 0, geometry: scene.geometry, matte: scene.matte)
        scene.picture.withMutable { light.draw(1, on: &$0, matte: scene.matte) }
        for (index, shade) in shades.enumerated() {
            let y = index * 36 + 18
            let (person, room) = (scene.luma(format.width / 2, y), scene.luma(third / 3, y))
            if index == 0 || index == 4 {
                #expect(abs(person - shade) <= 1 && abs(room - shade) <= 1)
            } else {
                #expect(person > shade && room < shade)
            }
        }
        #expect(scene.value(.cb, 3, 3) == Self.grey(format))
    }

    @Test("Light follows a face slowly, and fades after it")
    func pumping() {
        let format = PictureFormat(width: 320, height: 180)
        let face = Rectangle(left: 0.4, top: 0.2, right: 0.6, bottom: 0.8)
        func sample(_ plane: Plane, _ x: Int, _ y: Int) -> Int { plane == .luma ? 100 : 128 }
        let first = Scene(format, sample: sample)
        let light = StudioLight(first.matte)
        var levels: [Int] = []
        for index in 0..<60 {
            let scene = Scene(format, sample: sample)
            light.follow(
                index % 6 == 0 ? (index < 30 ? [face] : []) : nil, at: Double(index) / 30, geometry: scene.geometry,
                matte: scene.matte)
            scene.picture.withMutable { light.draw(1, on: &$0, matte: scene.matte) }
            levels.append(scene.luma(160, 90))
        }
        let steps = zip(levels, levels.dropFirst()).map { abs($0 - $1) }
        #expect(levels[29] > 110 && levels[59] < levels[29] - 8)
        #expect(steps.max()! <= 3, "\(levels)")
    }
}
