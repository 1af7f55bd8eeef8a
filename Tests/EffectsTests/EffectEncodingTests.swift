import Foundation
import Reactions
import Testing

@testable import Effects
@testable import Raster

@Suite("Effects on high dynamic range and wide primaries")
struct EffectEncodingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var format: PictureFormat
        var testDescription: String {
            "\(format.transfer) \(format.primaries) \(format.range) \(format.chroma) \(format.bitDepth) bit"
        }
    }

    static let cases: [Case] = TransferFunction.allCases.flatMap { transfer in
        ColourPrimaries.allCases.flatMap { primaries in
            [(8, ChromaSubsampling.yuv420), (10, .yuv420), (10, .yuv422), (12, .yuv444)].flatMap { depth, chroma in
                ColourRange.allCases.map { range in
                    Case(
                        format: PictureFormat(
                            width: 64, height: 48, bitDepth: depth, chroma: chroma,
                            matrix: primaries == .bt2020 ? .bt2020 : .bt709, range: range, transfer: transfer,
                            primaries: primaries))
                }
            }
        }
    }

    /// The code values of a colour by BT.2408, BT.2087 and BT.2100, with the C library's functions.
    private func reference(_ rgb: [Double], _ format: PictureFormat) -> [Double] {
        if format.transfer == .sdr && format.primaries == .bt709 { return rgb }
        var linear = rgb.map { pow($0, 2.4) }
        let isWide = format.primaries == .bt2020
        if isWide {
            let matrix = [[0.6274, 0.3293, 0.0433], [0.0691, 0.9195, 0.0114], [0.0164, 0.0880, 0.8956]]
            linear = matrix.map { row in zip(row, linear).reduce(0) { $0 + $1.0 * $1.1 } }
        }
        let weights = isWide ? [0.2627, 0.6780, 0.0593] : [0.2126, 0.7152, 0.0722]
        let luminance = zip(weights, linear).reduce(0) { $0 + $1.0 * $1.1 } * 203
        return linear.map { light in
            switch format.transfer {
            case .sdr: return pow(light, 1 / 2.4)
            case .pq:
                let y = pow(light * 203 / 10_000, 2610.0 / 16384)
                return pow((3424.0 / 4096 + 2413.0 / 128 * y) / (1 + 2392.0 / 128 * y), 2523.0 / 32)
            case .hlg:
                let scene = luminance > 0 ? pow(luminance / 1000, (1 - 1.2) / 1.2) * light * 203 / 1000 : 0
                let code =
                    scene <= 1.0 / 12
                    ? (3 * scene).squareRoot() : 0.17883277 * log(12 * scene - 0.28466892) + 0.55991073
                return min(code, ColourEncoding(format).white)
            }
        }
    }

    private func drawn(
        _ rgb: [Double], _ format: PictureFormat, opacity: Double = 1, light: Double = 0
    ) throws -> EffectTestFrame {
        var canvas = BandCanvas(width: format.width, height: format.height)
        canvas.encoding = ColourEncoding(format)
        canvas.draw(
            .paper(slopeU: 1000, slopeV: 1000),
            placed: AffineTransform.scale(x: 60, y: 60).then(.translation(x: 32, y: 24)),
            colour: BandColour(red: rgb[0], green: rgb[1], blue: rgb[2], opacity: opacity, light: light))
        var frame = EffectTestFrame(format, flat: true)
        try frame.lend { (picture) throws(EffectError) in canvas.blend(into: &picture) }
        return frame
    }

    private func expectMatch(_ frame: EffectTestFrame, _ rgb: [Double], opacity: Double = 1) {
        let format = frame.format
        let step = Double(1 << (format.bitDepth - 8))
        let full = Double(1 << format.bitDepth) - 1
        let limited = format.range == .limited
        let code = reference(rgb, format)
        let luma =
            format.matrix.kr * code[0] + (1 - format.matrix.kr - format.matrix.kb) * code[1]
            + format.matrix.kb * code[2]
        let cb = (code[2] - luma) / (2 - 2 * format.matrix.kb)
        let cr = (code[0] - luma) / (2 - 2 * format.matrix.kr)
        let scale = limited ? 224 * step : full
        let expected = [
            (Plane.luma, (limited ? 16 * step : 0) + luma * (limited ? 219 * step : full)),
            (.cb, 128 * step + cb * scale), (.cr, 128 * step + cr * scale),
        ]
        for (plane, value) in expected {
            let mixed = 120 * step * (1 - opacity) + value * opacity
            let off = abs(Double(frame[plane, 10, 10]) - min(mixed, full))
            #expect(off <= (format.bitDepth == 8 ? 1.01 : 2.01), "\(plane) of \(rgb): off by \(off)")
        }
    }

    @Test("Colours are those of a float reference", arguments: cases)
    func colours(_ testCase: Case) throws {
        let colours: [[Double]] = [
            [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [0.2, 0.7, 0.4], [0.05, 0.04, 0.1], [0, 0, 0],
        ]
        for rgb in colours {
            for opacity in [1, 0.6] {
                expectMatch(try drawn(rgb, testCase.format, opacity: opacity), rgb, opacity: opacity)
            }
        }
    }

    @Test("White is 203 cd/m², 58 % of PQ and 75 % of HLG")
    func white() {
        func white(_ transfer: TransferFunction) -> Double {
            ColourEncoding(transfer: transfer, primaries: .bt2020).white
        }
        #expect(abs(white(.pq) - 0.5807) < 0.0002)
        #expect(abs(white(.hlg) - 0.75) < 0.0003)
        #expect(white(.sdr) == 1)
    }

    @Test("Light is clipped at white and keeps brighter samples", arguments: [TransferFunction.pq, .hlg])
    func light(transfer: TransferFunction) throws {
        let format = PictureFormat(
            width: 64, height: 48, bitDepth: 10, matrix: .bt2020, transfer: transfer, primaries: .bt2020)
        let white = 64 + 876 * ColourEncoding(format).white
        let frame = try drawn([1, 1, 1], format, light: 1)
        #expect(abs(Double(frame[.luma, 10, 10]) - white) <= 1)
        var bright = EffectTestFrame(format, flat: true)
        for y in 0..<48 { for x in 0..<64 { bright[.luma, x, y] = 900 } }
        var canvas = BandCanvas(width: 64, height: 48)
        canvas.encoding = ColourEncoding(format)
        canvas.draw(
            .paper(slopeU: 1000, slopeV: 1000),
            placed: AffineTransform.scale(x: 60, y: 60).then(.translation(x: 32, y: 24)),
            colour: BandColour(red: 1, green: 1, blue: 1, opacity: 0.5, light: 1))
        try bright.lend { (picture) throws(EffectError) in canvas.blend(into: &picture) }
        #expect(bright[.luma, 10, 10] == 900)
    }

    @Test("Sprites and veils are encoded too")
    func spritesAndVeils() throws {
        let format = PictureFormat(
            width: 64, height: 48, bitDepth: 10, chroma: .yuv444, matrix: .bt2020, transfer: .pq, primaries: .bt2020)
        let colour = [0.2, 0.6, 0.8]
        var image = RGBAImage(width: 8, height: 8)
        for i in 0..<64 {
            for c in 0..<3 { image.pixels[4 * i + c] = UInt8(colour[c] * 255) }
            image.pixels[4 * i + 3] = 255
        }
        var canvas = BandCanvas(width: 64, height: 48)
        canvas.encoding = ColourEncoding(format)
        canvas.draw(
            BandSprite(image.encoded(by: canvas.encoding)),
            placed: AffineTransform.scale(x: 60, y: 60).then(.translation(x: 32, y: 24)), opacity: 1)
        var frame = EffectTestFrame(format, flat: true)
        try frame.lend { (picture) throws(EffectError) in canvas.blend(into: &picture) }
        // Sprites have 8 bits: half a step of them is more than a level of ten.
        for (plane, value) in zip(Plane.allCases, codes(colour, format)) {
            #expect(abs(Double(frame[plane, 32, 24]) - value) <= 3)
        }
        let wash = BlendWash(width: 64, height: 48, red: 0.2, green: 0.6, blue: 0.8, onPeople: 1) { _, _ in 1 }
        var veiled = EffectTestFrame(format, flat: true)
        try veiled.lend { (picture) throws(EffectError) in
            canvas.draw(wash)
            canvas.blend(into: &picture)
        }
        for (plane, value) in zip(Plane.allCases, codes(colour, format)) {
            #expect(abs(Double(veiled[plane, 32, 24]) - value) <= 1)
        }
    }

    private func codes(_ rgb: [Double], _ format: PictureFormat) -> [Double] {
        let code = reference(rgb, format)
        let luma = 0.2627 * code[0] + 0.678 * code[1] + 0.0593 * code[2]
        return [
            64 + 876 * luma, 512 + 896 * (code[2] - luma) / (2 - 2 * 0.0593),
            512 + 896 * (code[0] - luma) / (2 - 2 * 0.2627),
        ]
    }
}
