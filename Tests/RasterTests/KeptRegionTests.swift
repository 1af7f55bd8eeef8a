import Testing

@testable import Raster

@Suite("Regions that drawing does not change")
struct KeptRegionTests {
    private static let formats = [
        PictureFormat(width: 64, height: 48), PictureFormat(width: 64, height: 48, chroma: .yuv444),
        PictureFormat(width: 64, height: 48, bitDepth: 10, chroma: .yuv422),
    ]

    /// Draws 200 over a picture of 40, and returns the picture.
    private func drawn(_ format: PictureFormat, keeping regions: [KeptRegion]) -> SyntheticPicture {
        let picture = SyntheticPicture(format) { _, _, _ in 40 }
        picture.withMutable { picture in
            picture.keeping(regions) { picture in
                for plane in Plane.allCases {
                    let (width, height) = (format.width(of: plane), format.height(of: plane))
                    for place in 0..<width * height {
                        let (x, y) = (place % width, place / width)
                        if format.bitDepth == 8 {
                            picture.with8BitPlane(plane) { $0[y * $1 + x] = 200 }
                        } else {
                            picture.with16BitPlane(plane) { $0[y * $1 + x] = 200 }
                        }
                    }
                }
            }
        }
        return picture
    }

    private func sample(_ picture: SyntheticPicture, _ plane: Plane, _ x: Int, _ y: Int) -> Int {
        picture.withPicture { picture in
            picture.format.bitDepth == 8
                ? picture.with8BitPlane(plane) { Int($0[y * $1 + x]) }
                : picture.with16BitPlane(plane) { Int($0[y * $1 + x]) }
        }
    }

    @Test("A whole region stays as it was", arguments: formats)
    func whole(_ format: PictureFormat) {
        let picture = drawn(format, keeping: [KeptRegion(PictureRegion(columns: 8..<20, rows: 4..<10))])
        for y in 0..<48 {
            for x in 0..<64 {
                #expect(sample(picture, .luma, x, y) == ((8..<20).contains(x) && (4..<10).contains(y) ? 40 : 200))
            }
        }
    }

    @Test("A corner stays as it was outside of its arc, and in part on the arc", arguments: formats)
    func corner(_ format: PictureFormat) {
        let radius = 13.0, side = 14
        for (isRight, isLower) in [(false, false), (true, false), (false, true), (true, true)] {
            let region = PictureRegion(
                columns: isRight ? 64 - side..<64 : 0..<side, rows: isLower ? 48 - side..<48 : 0..<side)
            let picture = drawn(
                format,
                keeping: [
                    KeptRegion(
                        region, corner: KeptRegion.Corner(radius: radius, isRight: isRight, isLower: isLower))
                ])
            for plane in Plane.allCases {
                let (width, height) = (format.width(of: plane), format.height(of: plane))
                var kept = 0.0
                for place in 0..<width * height {
                    let value = sample(picture, plane, place % width, place / width)
                    kept += Double(200 - value) / 160
                }
                let scale = Double(64 / width * (48 / height))
                // A square without its quarter of a circle.
                #expect(abs(kept * scale - (1 - Double.pi / 4) * radius * radius) < 3, "\(plane) \(kept * scale)")
            }
            let (x, y) = (isRight ? 63 : 0, isLower ? 47 : 0)
            #expect(sample(picture, .luma, x, y) == 40)
            #expect(sample(picture, .luma, isRight ? 63 - 6 : 6, isLower ? 47 - 6 : 6) == 200)
        }
    }
}
