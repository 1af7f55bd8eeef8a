import Testing

@testable import Raster

/// Light from behind on people's outlines.
@Suite struct BandRimTests {
    private let format = PictureFormat(width: 320, height: 180)
    private let geometry = DisplayGeometry(storedWidth: 320, storedHeight: 180)

    /// A person on the right half of the picture.
    private var mask: BandMask {
        BandMask(
            width: 64, height: 36, samples: (0..<64 * 36).map { $0 % 64 < 32 ? 0 : 255 }, geometry: geometry)
    }

    /// The luma of a row, over an even grey, with a light at the left of the person.
    private func luma(light: Double, inFront: Bool = false, mask: BandMask?) -> [Int] {
        let picture = SyntheticPicture(format) { plane, _, _ in plane == .luma ? 100 : 128 }
        var canvas = BandCanvas(width: 320, height: 180)
        if inFront { canvas.beginFront() }
        canvas.draw(
            .glow(halo: 0.5), placed: AffineTransform.scale(x: 90, y: 90).then(.translation(x: 110, y: 90)),
            colour: BandColour(red: 1, green: 0.4, blue: 0.2, opacity: 1, light: light))
        if !inFront { canvas.beginFront() }
        return picture.withMutable { picture in
            canvas.blend(into: &picture, hiding: mask)
            return picture.with8BitPlane(.luma) { samples, stride in (0..<320).map { Int(samples[90 * stride + $0]) } }
        }
    }

    @Test("Light behind a person falls on the outline and no further")
    func falls() {
        let row = luma(light: 1, mask: mask)
        #expect(row[110] > 180)
        #expect(row[164] > 106 && row[164] < 180)
        #expect(row[164] > row[170] && row[195...].allSatisfy { $0 == 100 })
    }

    @Test("Matter behind a person lights nothing")
    func matter() {
        #expect(luma(light: 0, mask: mask)[168...].allSatisfy { $0 == 100 })
    }

    @Test("Shapes in front cast no light from behind")
    func front() {
        #expect(luma(light: 1, inFront: true, mask: mask) == luma(light: 1, mask: nil))
    }
}
