import Platform
import Testing

@testable import Effects
@testable import Raster

/// Two threads draw on one picture.
@Suite struct BandAssistantTests {
    @Test(
        "With a helper a picture is the same, byte for byte",
        arguments: [
            PictureFormat(width: 333, height: 203),
            PictureFormat(width: 320, height: 180, bitDepth: 10),
            PictureFormat(width: 320, height: 190, chroma: .yuv444),
        ])
    func same(format: PictureFormat) throws {
        let helper = HelperThread()
        var alone = BandCanvas(width: format.width, height: format.height)
        var shared = BandCanvas(width: format.width, height: format.height, helper: helper)
        for round in 0..<40 {
            var one = EffectTestFrame(format), other = EffectTestFrame(format)
            let mask = round % 3 == 0 ? nil : mask(format, round)
            try one.lend { draw(round, on: &alone, into: &$0, hiding: mask) }
            try other.lend { draw(round, on: &shared, into: &$0, hiding: mask) }
            #expect(one == other, "round \(round)")
            #expect(one != EffectTestFrame(format))
        }
    }

    /// A mask with one person, at a place that depends on the round.
    private func mask(_ format: PictureFormat, _ round: Int) -> BandMask {
        let geometry = DisplayGeometry(storedWidth: format.width, storedHeight: format.height)
        return BandMask(
            width: 64, height: 36,
            samples: (0..<64 * 36).map { UInt8(clamping: ($0 % 64 - 10 - round % 20) * ($0 / 64) * 2) },
            geometry: geometry)
    }

    private func draw(
        _ round: Int, on canvas: inout BandCanvas, into picture: inout MutablePicture, hiding mask: BandMask?
    ) {
        let format = picture.format
        if round % 2 == 0 {
            canvas.draw(
                BlendWash(width: format.width, height: format.height, red: 0, green: 0, blue: 0.1, onPeople: 0) {
                    x, y in
                    0.3 + (x + y) / 2000
                })
        }
        for piece in 0..<30 {
            if piece == 20 { canvas.beginFront() }
            // Places and sizes that differ from piece to piece and from round to round.
            let x = Double((piece * 97 + round * 31) % format.width)
            let y = Double((piece * 53 + round * 17) % format.height)
            let size = Double(2 + (piece * 7 + round) % 90)
            let shapes: [BandShape] = [
                .glow(halo: 0.4), .disc(slope: Float(size)), .streak(tail: 1, slope: 4), .sparkle,
                .beam(spread: 0.5, phase: Float(round)),
            ]
            canvas.draw(
                shapes[piece % shapes.count],
                placed: AffineTransform.scale(x: size, y: size / 2).then(.translation(x: x, y: y)),
                colour: BandColour(
                    red: 1, green: Double(piece % 3) / 2, blue: 0.3, opacity: 0.8, light: piece % 4 == 0 ? 0 : 1))
        }
        canvas.blend(into: &picture, hiding: mask)
    }
}
