import Foundation
import Raster
import Testing

@testable import Photography

@Suite struct FusionTests {
    private static let width = 320, height = 192

    /// A wall with some texture, and a disc with another texture at a different place in each picture.
    private func scene(
        _ format: PictureFormat = PictureFormat(width: width, height: height), time: Int, speed: Double = 5,
        shift: Int = 0
    ) -> TestPicture {
        let unit = Double(1 << (format.bitDepth - 8))
        return TestPicture(format) { plane, column, row in
            let (shiftX, shiftY) = plane == .luma ? (0, 0) : (format.chroma.shiftX, format.chroma.shiftY)
            let (x, y) = (Double((column << shiftX) + shift), Double((row << shiftY) + shift))
            let place = (x - 110 - Double(time) * speed, y - 96 - Double(time) * speed / 3)
            let isDisc = place.0 * place.0 + place.1 * place.1 < 1600
            guard plane == .luma else { return (isDisc ? 150 : 120) * unit }
            return isDisc
                ? (150 + 50 * sin(place.0 / 4) * cos(place.1 / 5)) * unit
                : (105 + 30 * sin(x / 11) * cos(y / 9) + 15 * sin((x + 2 * y) / 4)) * unit
        }
    }

    /// Returns whether the disc is absent at a place in all pictures.
    private func isStill(_ x: Int, _ y: Int) -> Bool { x > 210 || y > 160 || y < 30 }

    private func fused(_ pictures: [TestPicture], reference: Int, _ finish: PictureFinish) -> (
        TestPicture, FrameFusion.Report
    ) {
        let fusion = FrameFusion(format: pictures[0].format)
        for picture in pictures { picture.withPicture { fusion.add($0) } }
        var result = pictures[reference]
        let report = result.withMutable { fusion.fuse(reference: reference, into: &$0, finish: finish) }
        return (result, report)
    }

    @Test(
        "Sixteen pictures have 6 dB less noise than one where nothing moves, and are nowhere less like the original",
        arguments: [5.0, 10, 20])
    func noise(deviation: Double) {
        let clean = (0..<16).map { scene(time: $0 - 8) }
        let pictures = clean.enumerated().map { $1.noisy(deviation, seed: UInt64($0 + 1)) }
        for finish in [PictureFinish.none, .unprocessed] {
            let (result, report) = fused(pictures, reference: 8, finish)
            let before = pictures[8].likeness(to: clean[8], where: isStill)
            let after = result.likeness(to: clean[8], where: isStill)
            #expect(after - before >= (finish == .none ? 8 : 9), "\(before) dB became \(after) dB")
            #expect(abs(report.noise - deviation * 0.96) < deviation * 0.15)
            #expect(report.frames == 16 && report.noiseLeft < 0.25)
            for y in stride(from: 0, to: Self.height, by: 8) {
                for x in stride(from: 0, to: Self.width, by: 8) {
                    let one = pictures[8].similarity(to: clean[8], x: x, y: y)
                    let all = result.similarity(to: clean[8], x: x, y: y)
                    #expect(all > one - 0.03, "a block at \(x), \(y) is less like the original: \(one) became \(all)")
                }
            }
        }
    }

    @Test("Camera shake is compensated", arguments: [0, 3, -7, 21])
    func shaking(shift: Int) {
        let clean = (0..<6).map { scene(time: 0, shift: $0 == 2 ? 0 : shift) }
        let pictures = clean.enumerated().map { $1.noisy(8, seed: UInt64($0 + 1)) }
        let (result, _) = fused(pictures, reference: 2, .none)
        // Regions beyond an edge cannot be aligned.
        func isInside(_ x: Int, _ y: Int) -> Bool {
            (24..<Self.width - 24).contains(x) && (24..<Self.height - 24).contains(y)
        }
        let before = pictures[2].likeness(to: clean[2], where: isInside)
        let after = result.likeness(to: clean[2], where: isInside)
        #expect(after - before > 4.5, "\(before) dB became \(after) dB")
    }

    @Test("Objects that appear, vanish or change brightness are not averaged")
    func changes() {
        let format = PictureFormat(width: Self.width, height: Self.height)
        // A thin bright line in one picture alone, on a plain ground, and all others a little brighter below.
        let own = TestPicture(format) { plane, x, y in plane != .luma ? 128 : x == 100 && y < 90 ? 180 : 90 }
        let other = TestPicture(format) { plane, _, y in plane != .luma ? 128 : y > 120 ? 96 : 90 }
        let pictures = [other, other, own, other, other, other, other].enumerated().map {
            $1.noisy(3, seed: UInt64($0 + 1))
        }
        let (result, _) = fused(pictures, reference: 2, .none)
        func mean(_ columns: Range<Int>, _ rows: Range<Int>) -> Double {
            var sum = 0.0
            for y in rows { for x in columns { sum += Double(result.planes[0][y * Self.width + x]) } }
            return sum / Double(columns.count * rows.count)
        }
        #expect(mean(100..<101, 10..<80) > 176)
        #expect(abs(mean(0..<320, 140..<190) - 90) < 1)
    }

    @Test("A brightening scene keeps the reference's brightness")
    func fading() {
        let format = PictureFormat(width: Self.width, height: Self.height)
        let clean = (0..<16).map { time in
            TestPicture(format) { plane, x, y in
                plane != .luma ? 128 : 60 + Double(4 * time) + 10 * sin(Double(x + y) / 9)
            }
        }
        for deviation in [0.0, 2] {
            let pictures = clean.enumerated().map { $1.noisy(deviation, seed: UInt64($0 + 1)) }
            for reference in [0, 7, 15] {
                let (result, _) = fused(pictures, reference: reference, .none)
                let error = zip(result.planes[0], clean[reference].planes[0]).reduce(0) { $0 + Int($1.0) - Int($1.1) }
                #expect(abs(Double(error) / Double(Self.width * Self.height)) < 0.3)
            }
        }
    }

    private static let formats: [PictureFormat] = ChromaSubsampling.allCases.flatMap { chroma in
        [(64, 48), (33, 19), (17, 70), (1, 1), (2, 3), (130, 5)].flatMap { width, height in
            [8, 10, 12].map { PictureFormat(width: width, height: height, bitDepth: $0, chroma: chroma) }
        }
    }

    @Test("Equal pictures fuse to the same in every format and size", arguments: formats)
    func equality(format: PictureFormat) {
        let picture = scene(format, time: 0).noisy(9, seed: 5)
        #expect(fused([picture], reference: 0, .none).0.difference(from: picture) == 0)
        let four = fused([picture, picture, picture, picture], reference: 1, .none).0
        // Sums have two bits more than the deepest samples.
        #expect(four.difference(from: picture) <= (format.bitDepth == 12 ? 1 : 0))
        // Any input terminates.
        _ = fused([picture, picture.noisy(4, seed: 1), picture.noisy(4, seed: 2)], reference: 1, PictureFinish())
    }

    @Test("Fusion is deterministic, independent of earlier fusions")
    func repetition() {
        let pictures = (0..<5).map { scene(time: $0).noisy(8, seed: UInt64($0 + 1)) }
        let fusion = FrameFusion(format: pictures[0].format)
        func fuse(_ reference: Int) -> TestPicture {
            fusion.removeAll()
            for picture in pictures { picture.withPicture { fusion.add($0) } }
            var result = pictures[reference]
            _ = result.withMutable { fusion.fuse(reference: reference, into: &$0, finish: PictureFinish()) }
            return result
        }
        let first = fuse(2)
        _ = fuse(4)
        #expect(fuse(2).difference(from: first) == 0)
    }

    @Test("Memory is allocated ahead and released")
    func memory() {
        let picture = scene(time: 0)
        let fusion = FrameFusion(format: picture.format)
        #expect(fusion.byteCount == 0)
        fusion.reserve(16)
        let all = fusion.byteCount
        picture.withPicture { fusion.add($0) }
        #expect(fusion.byteCount == all)
        fusion.removeAll()
        fusion.trim(to: 5)
        #expect(fusion.byteCount < all / 2)
        fusion.trim(to: 0)
        #expect(fusion.byteCount == 0)
    }

    @Test("A sharp picture counts as sharper than a blurred one")
    func sharpness() {
        let format = PictureFormat(width: 128, height: 96)
        let sharp = TestPicture(format) { plane, x, y in plane != .luma ? 128 : (x / 9 + y / 7) % 2 == 0 ? 60 : 190 }
        let soft = TestPicture(format) { plane, x, y in
            plane != .luma ? 128 : 125 + 60 * sin(Double(x) / 6) * cos(Double(y) / 5)
        }
        let (a, b) = (
            sharp.withPicture { SharpnessMeter.sharpness(of: $0) },
            soft.withPicture { SharpnessMeter.sharpness(of: $0) }
        )
        #expect(a > 2 * b)
        #expect(sharp.withPicture { SharpnessMeter.sharpness(of: $0, columns: 200..<300, rows: 0..<4) } == 0)
    }
}
