import Testing

@testable import Raster

@Suite("Enlarging a part of a picture")
struct PictureEnlargerTests {
    private static let formats = [
        PictureFormat(width: 160, height: 90), PictureFormat(width: 161, height: 91),
        PictureFormat(width: 160, height: 90, bitDepth: 10),
        PictureFormat(width: 160, height: 90, bitDepth: 10, chroma: .yuv422),
        PictureFormat(width: 160, height: 90, chroma: .yuv444, range: .full),
        PictureFormat(width: 62, height: 34, bitDepth: 12),
    ]

    private static func values(_ picture: SyntheticPicture, _ plane: Plane) -> [[Int]] {
        let format = picture.format
        return picture.withPicture { picture in
            func rows<T: BinaryInteger>(_ samples: Span<T>, _ stride: Int) -> [[Int]] {
                (0..<format.height(of: plane)).map { y in
                    (0..<format.width(of: plane)).map { Int(samples[y * stride + $0]) }
                }
            }
            return format.bitDepth == 8
                ? picture.with8BitPlane(plane) { rows($0, $1) } : picture.with16BitPlane(plane) { rows($0, $1) }
        }
    }

    private static func enlarged(
        _ source: SyntheticPicture, _ part: Rectangle, site: ChromaSite = .left, by enlarger: PictureEnlarger
    ) -> SyntheticPicture {
        let target = SyntheticPicture(source.format) { _, _, _ in 0 }
        source.withPicture { source in
            target.withMutable { enlarger.draw(part, of: source, on: &$0, chromaSite: site) }
        }
        return target
    }

    private static func whole(_ format: PictureFormat) -> Rectangle {
        Rectangle(left: 0, top: 0, right: Double(format.width), bottom: Double(format.height))
    }

    @Test("The whole picture is unchanged", arguments: formats)
    func identity(_ format: PictureFormat) {
        let most = 1 << format.bitDepth
        let source = SyntheticPicture(format) { plane, x, y in (x * 7919 + y * 104_729 + plane.rawValue * 31) % most }
        let target = Self.enlarged(source, Self.whole(format), by: PictureEnlarger())
        for plane in Plane.allCases { #expect(Self.values(source, plane) == Self.values(target, plane)) }
    }

    /// A slope along both axes, at a place in luma samples.
    private static func slope(_ x: Double, _ y: Double, _ format: PictureFormat) -> Double {
        let unit = Double(1 << (format.bitDepth - 8))
        return (20 + 0.9 * x + 0.7 * y) * unit
    }

    /// The filter is exact for slopes, so every sample must have the value of its place, whatever the part is. Chroma that
    /// is off by a quarter of a sample would be off by the slope's share.
    @Test("Every sample shows its place", arguments: formats, [ChromaSite.left, .centre, .topLeft])
    func places(_ format: PictureFormat, _ site: ChromaSite) {
        func place(_ plane: Plane, _ x: Int, _ y: Int) -> (x: Double, y: Double) {
            let isLuma = plane == .luma
            let (shiftX, shiftY) = isLuma ? (0, 0) : (format.chroma.shiftX, format.chroma.shiftY)
            return (
                Double(x << shiftX) + (shiftX > 0 ? site.x : 0), Double(y << shiftY) + (shiftY > 0 ? site.y : 0)
            )
        }
        let source = SyntheticPicture(format) { plane, x, y in
            let place = place(plane, x, y)
            return Int(Self.slope(place.x, place.y, format).rounded())
        }
        let enlarger = PictureEnlarger()
        for (left, top, size) in [(10.3, 7.9, 0.5), (23.47, 5.13, 0.77), (4, 4, 0.625)] {
            let part = Rectangle(
                left: left, top: top, right: left + size * Double(format.width),
                bottom: top + size * Double(format.height))
            let target = Self.enlarged(source, part, site: site, by: enlarger)
            for plane in Plane.allCases {
                var greatest = 0.0
                for (y, row) in Self.values(target, plane).enumerated() {
                    for (x, value) in row.enumerated() {
                        let place = place(plane, x, y)
                        let (fromX, fromY) = (left + (place.x + 0.5) * size - 0.5, top + (place.y + 0.5) * size - 0.5)
                        // At the picture's edges, samples repeat.
                        guard fromX > 4, fromX < Double(format.width) - 6, fromY > 4, fromY < Double(format.height) - 6
                        else { continue }
                        greatest = max(greatest, abs(Double(value) - Self.slope(fromX, fromY, format)))
                    }
                }
                #expect(greatest <= 1.3, "\(plane) at \(left), \(top)")
            }
        }
    }

    @Test("A part that moves by a hundredth of a sample moves the picture by it")
    func fractions() {
        let format = PictureFormat(width: 160, height: 90, bitDepth: 12)
        // A bright disc.
        let source = SyntheticPicture(format) { plane, x, y in
            let (dx, dy) = (Double(x) - 80, Double(y) - 45)
            return plane == .luma ? Int((3000 * max(0, 1 - (dx * dx + dy * dy) / 400)).rounded()) : 2048
        }
        let enlarger = PictureEnlarger()
        func middle(_ left: Double) -> Double {
            let part = Rectangle(left: left, top: 20, right: left + 96, bottom: 74)
            let rows = Self.values(Self.enlarged(source, part, by: enlarger), .luma)
            var sum = 0.0, weight = 0.0
            for row in rows {
                for (x, value) in row.enumerated() { (sum, weight) = (sum + Double(x * value), weight + Double(value)) }
            }
            return sum / weight
        }
        let first = middle(32)
        for step in 1...20 {
            let moved = first - middle(32 + 0.01 * Double(step))
            #expect(abs(moved - 0.01 * Double(step) * 160 / 96) < 0.002, "step \(step)")
        }
    }

    @Test("Codes do not leave their range beside sharp edges")
    func limits() {
        for depth in [8, 10] {
            let format = PictureFormat(width: 64, height: 36, bitDepth: depth, range: .full)
            let most = (1 << depth) - 1
            let source = SyntheticPicture(format) { _, x, y in (x / 4 + y / 4) % 2 == 0 ? 0 : most }
            let part = Rectangle(left: 0, top: 0, right: 40.5, bottom: 22.8)
            let target = Self.enlarged(source, part, by: PictureEnlarger())
            #expect(Self.values(target, .luma).joined().allSatisfy { (0...most).contains($0) })
            #expect(Self.values(target, .luma)[2][2] < most / 8)
        }
    }

    @Test("A cut begins a scene; movement, light and noise do not")
    func scenes() {
        let format = PictureFormat(width: 320, height: 180)
        func room(_ seed: Int, light: Int = 0, person: Int? = nil) -> SyntheticPicture {
            SyntheticPicture(format) { plane, x, y in
                guard plane == .luma else { return 128 }
                if let person, abs(x - person) < 50, y > 60 { return 90 + light }
                return 60 + light + (x / 20 * 37 + y / 20 * 53 * seed) % 120 + (x * y) % 3
            }
        }
        var probe = MotionProbe()
        func begins(_ picture: SyntheticPicture) -> Bool { picture.withPicture { probe.beginsScene($0) } }
        #expect(begins(room(1, person: 100)))
        #expect(
            !begins(room(1, person: 100)) && !begins(room(1, person: 140)) && !begins(room(1, light: 30, person: 200)))
        #expect(begins(room(5, person: 200)))
        #expect(!begins(room(5)))
    }
}
