import Testing

@testable import Effects
@testable import Raster

/// Drawing behind people, where fully covered parts are skipped.
@Suite("Drawing behind people") struct PeopleInFrontTests {
    @Test(
        "People are unchanged, and the rest is drawn as without them",
        arguments: [
            PictureFormat(width: 640, height: 360), PictureFormat(width: 640, height: 100),
            PictureFormat(width: 640, height: 360, bitDepth: 10),
            PictureFormat(width: 640, height: 360, chroma: .yuv444),
        ])
    func hidden(format: PictureFormat) throws {
        let geometry = DisplayGeometry(storedWidth: format.width, storedHeight: format.height)
        // Two people: columns 8 to 23 and 40 to 43 of 64.
        let mask = BandMask(
            width: 64, height: 36,
            samples: (0..<64 * 36).map { (8..<24).contains($0 % 64) || (40..<44).contains($0 % 64) ? 255 : 0 },
            geometry: geometry)
        var canvas = BandCanvas(width: format.width, height: format.height)
        let untouched = EffectTestFrame(format)
        for round in 0..<8 {
            var before = untouched, alone = untouched
            try before.lend {
                draw(round, on: &canvas)
                canvas.blend(into: &$0, hiding: mask)
            }
            try alone.lend {
                draw(round, on: &canvas)
                canvas.blend(into: &$0)
            }
            let rows = 0..<format.height
            // Well within the first person, and well beside both.
            #expect(rows.allSatisfy { y in (130..<190).allSatisfy { before[.luma, $0, y] == untouched[.luma, $0, y] } })
            // Where people hide all matter of a band, coarse matter takes a shorter code path.
            let rounding = 2 << (format.bitDepth - 8)
            for x in [10, 64, 260, 330, 379, 460, 639] {
                #expect(
                    rows.allSatisfy { abs(before[.luma, x, $0] - alone[.luma, x, $0]) <= rounding },
                    "round \(round), column \(x)")
            }
            #expect(before != untouched)
        }
    }

    @Test("Pictures wider than 65,535 pixels are supported")
    func wide() throws {
        let format = PictureFormat(width: 70_000, height: 32)
        let mask = BandMask(
            width: 64, height: 36, samples: [UInt8](repeating: 255, count: 64 * 36),
            geometry: DisplayGeometry(storedWidth: format.width, storedHeight: format.height))
        var canvas = BandCanvas(width: format.width, height: format.height)
        var frame = EffectTestFrame(format)
        try frame.lend {
            draw(0, on: &canvas)
            canvas.blend(into: &$0, hiding: mask)
        }
        #expect(frame[.luma, 69_000, 16] == EffectTestFrame(format)[.luma, 69_000, 16])
    }

    /// Draws shapes of light, or of matter in odd rounds, all of them behind people. Light over matter is clipped at
    /// white per colour, other light by the sum: hidden pixels decide which case applies.
    private func draw(_ round: Int, on canvas: inout BandCanvas) {
        for piece in 0..<24 {
            let x = Double((piece * 97 + round * 31) % canvas.width)
            let y = Double((piece * 53 + round * 17) % canvas.height)
            // From small ones to some that are drawn coarsely.
            let size = Double(3 + (piece * 41 + round * 7) % 240)
            let shapes: [BandShape] = [
                .streak(tail: 1, slope: 4), .glow(halo: 0.4), .disc(slope: 20), .glow(halo: 0.9),
            ]
            canvas.draw(
                shapes[piece % shapes.count],
                placed: AffineTransform.scale(x: size, y: size / 3).then(.translation(x: x, y: y)),
                colour: BandColour(
                    red: 0.9, green: 0.5, blue: Double(piece % 3) / 2, opacity: 0.7,
                    light: round % 2 == 0 ? 1 : 0))
        }
        canvas.beginFront()
    }
}
