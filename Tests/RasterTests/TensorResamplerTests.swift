import Raster
import Testing
import TestSupport

/// A network's input tensor, compared with a reference in double precision.
@Suite struct TensorResamplerTests {
    static let formats: [PictureFormat] = [
        PictureFormat(width: 41, height: 31),
        PictureFormat(width: 40, height: 30, chroma: .yuv422, matrix: .bt601, range: .full),
        PictureFormat(width: 39, height: 29, chroma: .yuv444, matrix: .bt2020),
        PictureFormat(width: 41, height: 30, bitDepth: 10, matrix: .bt2020),
        PictureFormat(width: 37, height: 33, bitDepth: 12, chroma: .yuv444, range: .full),
        PictureFormat(width: 36, height: 34, bitDepth: 16, chroma: .yuv422),
    ]

    /// Luma is noise, chroma is uniform, so that only the arithmetic of positions matters.
    static func noise(_ format: PictureFormat, cb: Int, cr: Int) -> ([[Double]], SyntheticPicture) {
        var random = SeededGenerator(seed: 7)
        let unit = 1 << (format.bitDepth - 8)
        let luma = (0..<format.height).map { _ in
            (0..<format.width).map { _ in Double(Int.random(in: 60...180, using: &random) * unit) }
        }
        let picture = SyntheticPicture(format) { plane, x, y in
            switch plane {
            case .luma: Int(luma[y][x])
            case .cb: cb * unit
            case .cr: cr * unit
            }
        }
        return (luma, picture)
    }

    @Test(arguments: formats, [TensorBorder.zero, .replicate])
    func interpolatesLikeTheReference(format: PictureFormat, border: TensorBorder) {
        let (luma, picture) = Self.noise(format, cb: 120, cr: 140)
        // Turned, enlarged, and reaching beyond the corner of the picture.
        let map = AffineTransform.scale(x: 0.8, y: 0.8)
            .then(.rotation(cosine: 0.8, sine: 0.6)).then(.translation(x: 6, y: -8))
        let tensor = picture.resampled(map, border: border, width: 48, height: 40)
        let unit = Double(1 << (format.bitDepth - 8))
        func rgb(_ x: Int, _ y: Int) -> [Double] {
            let inside = (0..<format.width).contains(x) && (0..<format.height).contains(y)
            if border == .zero, !inside { return [0, 0, 0] }
            let value = luma[min(max(y, 0), format.height - 1)][min(max(x, 0), format.width - 1)]
            return referenceRGB(value, 120 * unit, 140 * unit, format)
        }
        var worst = 0.0
        for j in 0..<40 {
            for i in 0..<48 {
                let place = map.apply(x: Double(i) + 0.5, y: Double(j) + 0.5)
                let x = place.x - 0.5, y = place.y - 0.5
                let x0 = Int(x.rounded(.down)), y0 = Int(y.rounded(.down))
                let fx = x - Double(x0), fy = y - Double(y0)
                let wanted = (0..<3).map { c in
                    (1 - fy) * ((1 - fx) * rgb(x0, y0)[c] + fx * rgb(x0 + 1, y0)[c])
                        + fy * ((1 - fx) * rgb(x0, y0 + 1)[c] + fx * rgb(x0 + 1, y0 + 1)[c])
                }
                worst = max(worst, largestDifference(tensor[i, j], wanted))
            }
        }
        #expect(worst < 0.001)
    }

    @Test("Rows that run along the picture's give the same bits as if they did not", arguments: formats)
    func axisAlignedMatchesRotated(format: PictureFormat) {
        let (_, picture) = Self.noise(format, cb: 110, cr: 150)
        for (x, y, border) in [(0.7, 0.9, TensorBorder.zero), (2.3, 3.1, .replicate), (1, 1, .zero)] {
            var map = AffineTransform.scale(x: x, y: y).then(.translation(x: -3, y: 2))
            let straight = picture.resampled(map, border: border, width: 40, height: 24)
            // Too small to move anything, but not zero.
            map.b = 1e-300
            map.c = 1e-300
            let turned = picture.resampled(map, border: border, width: 40, height: 24)
            for j in 0..<24 { for i in 0..<40 { #expect(straight[i, j] == turned[i, j]) } }
        }
    }

    @Test(arguments: formats)
    func averagesEverySampleWhenMuchSmaller(format: PictureFormat) {
        var random = SeededGenerator(seed: 11)
        let unit = 1 << (format.bitDepth - 8)
        let samples = Plane.allCases.map { plane in
            (0..<format.height(of: plane)).map { _ in
                (0..<format.width(of: plane)).map { _ in
                    Int.random(in: (plane == .luma ? 90...170 : 118...138), using: &random) * unit
                }
            }
        }
        let picture = SyntheticPicture(format) { samples[$0.rawValue][$2][$1] }
        let tensor = picture.resampled(.scale(x: 4, y: 4), width: 8, height: 7)
        for j in 0..<7 {
            for i in 0..<8 {
                let means = Plane.allCases.map { plane in
                    let sx = plane == .luma ? 0 : format.chroma.shiftX
                    let sy = plane == .luma ? 0 : format.chroma.shiftY
                    var sum = 0
                    for y in (4 * j)..<(4 * j + 4) {
                        for x in (4 * i)..<(4 * i + 4) { sum += samples[plane.rawValue][y >> sy][x >> sx] }
                    }
                    return Double(sum) / 16
                }
                let wanted = referenceRGB(means[0], means[1], means[2], format)
                #expect(largestDifference(tensor[i, j], wanted) < 0.001)
            }
        }
    }

    @Test(arguments: [1.0, 1.7, 2.4, 6.6, 11.3])
    func keepsGradientsInPlace(scale: Double) {
        // Averaging and interpolation leave a linear slope as it is.
        let format = PictureFormat(width: 400, height: 300, bitDepth: 12, chroma: .yuv420)
        let picture = SyntheticPicture(format) { plane, x, y in
            plane == .luma ? 400 + 4 * x + 3 * y : 2048 + (plane == .cb ? x - 100 : y - 75)
        }
        let map = AffineTransform.scale(x: scale, y: scale).then(.translation(x: 20.3, y: 11.8))
        let size = Int(260 / scale)
        let tensor = picture.resampled(map, width: size, height: size)
        var worst = 0.0
        for j in 0..<size {
            for i in 0..<size {
                let place = map.apply(x: Double(i) + 0.5, y: Double(j) + 0.5)
                let luma = 400 + 4 * (place.x - 0.5) + 3 * (place.y - 0.5)
                let cb = 2048 + place.x / 2 - 0.5 - 100, cr = 2048 + place.y / 2 - 0.5 - 75
                worst = max(
                    worst, largestDifference(tensor[i, j], referenceRGB(luma, cb, cr, format)))
            }
        }
        #expect(worst < 0.002)
    }

    @Test func doesNotAlias() {
        let format = PictureFormat(width: 640, height: 480)
        let board = SyntheticPicture(format) { plane, x, y in
            plane == .luma ? ((x + y) % 2 == 0 ? 16 : 235) : 128
        }
        let tensor = board.resampled(.scale(x: 3.3, y: 3.3), width: 190, height: 140)
        let values = tensor.values
        #expect(values.allSatisfy { abs($0 - 0.5) < 0.06 })
    }

    @Test(arguments: [
        (ColourMatrix.bt601, ColourRange.limited, [81, 90, 240]),
        (.bt709, .limited, [63, 102, 240]),
        (.bt601, .full, [76, 85, 255]),
    ])
    func convertsRed(matrix: ColourMatrix, range: ColourRange, codes: [Int]) {
        let format = PictureFormat(width: 8, height: 8, matrix: matrix, range: range)
        let picture = SyntheticPicture(format) { plane, _, _ in codes[plane.rawValue] }
        let tensor = picture.resampled(.identity, width: 8, height: 8)
        #expect(largestDifference(tensor[4, 4], [1, 0, 0]) < 0.01)
    }

    @Test func letterboxIsBlack() {
        let format = PictureFormat(width: 160, height: 90)
        let white = SyntheticPicture(format) { plane, _, _ in plane == .luma ? 235 : 128 }
        let map = AffineTransform.scale(x: 5, y: 5).then(.translation(x: 0, y: -35))
        let tensor = white.resampled(map, width: 32, height: 32)
        #expect(tensor[16, 6] == [0, 0, 0])
        #expect(tensor[16, 25] == [0, 0, 0])
        #expect(largestDifference(tensor[16, 8], [1, 1, 1]) < 0.01)
        #expect(largestDifference(tensor[16, 23], [1, 1, 1]) < 0.01)
    }

    @Test func acceptsOddPositions() {
        let dot = SyntheticPicture(PictureFormat(width: 1, height: 1)) { plane, _, _ in
            plane == .luma ? 235 : 128
        }
        let beside = AffineTransform.translation(x: 100, y: 0)
        #expect(dot.resampled(beside, width: 4, height: 4).values.allSatisfy { $0 == 0 })
        let far = AffineTransform.translation(x: -1e12, y: 1e12)
        #expect(dot.resampled(far, width: 4, height: 4).values.allSatisfy { $0 == 0 })
        let huge = AffineTransform.scale(x: 1e6, y: 1e6).then(.translation(x: -5e5, y: -5e5))
        #expect(dot.resampled(huge, width: 3, height: 3).values.allSatisfy { $0 >= 0 && $0 <= 1 })
        let inside = dot.resampled(.identity, border: .replicate, width: 1, height: 1)
        #expect(largestDifference(inside[0, 0], [1, 1, 1]) < 0.001)
    }

    @Test("Planes are the picture's codes, as of 8 bits", arguments: formats)
    func planesAreCodes(format: PictureFormat) {
        let (luma, picture) = Self.noise(format, cb: 110, cr: 150)
        let planes = picture.resampledPlanes()
        let unit = Double(1 << (format.bitDepth - 8))
        #expect(planes.luma == luma.joined().map { UInt8(($0 / unit).rounded()) })
        #expect(planes.cb.allSatisfy { $0 == 110 } && planes.cr.allSatisfy { $0 == 150 })
    }

    @Test("The brightest codes of deep pictures stay the brightest")
    func planesHoldTheBrightest() {
        let format = PictureFormat(width: 16, height: 16, bitDepth: 10)
        let planes = SyntheticPicture(format) { _, _, _ in 1023 }.resampledPlanes()
        #expect((planes.luma + planes.cb + planes.cr).allSatisfy { $0 == 255 })
    }

    @Test(arguments: [
        (1.0, Orientation(quarterTurns: 1)), (2.0, Orientation()),
        (0.5, Orientation(quarterTurns: 3, mirrored: true)),
    ])
    func displayGeometryComposes(ratio: Double, orientation: Orientation) {
        // Each place of the upright picture has a colour of its own, in every orientation of storage.
        let geometry = DisplayGeometry(
            storedWidth: 60, storedHeight: 44, sampleAspectRatio: ratio, orientation: orientation)
        let toUpright = geometry.uprightToStored.inverse
        let format = PictureFormat(
            width: 60, height: 44, bitDepth: 16, chroma: .yuv444, range: .full)
        let picture = SyntheticPicture(format) { plane, x, y in
            let place = toUpright.apply(x: Double(x) + 0.5, y: Double(y) + 0.5)
            return plane == .luma ? Int(10_000 + 200 * place.x + 300 * place.y) : 32768
        }
        let width = Int(geometry.uprightWidth), height = Int(geometry.uprightHeight)
        let tensor = picture.resampled(
            geometry.uprightToStored, border: .replicate, width: width, height: height)
        for (x, y) in [(5, 7), (width - 9, 6), (width / 2, height - 8)] {
            let luma = 10_000 + 200 * (Double(x) + 0.5) + 300 * (Double(y) + 0.5)
            #expect(largestDifference(tensor[x, y], [luma, luma, luma].map { $0 / 65535 }) < 0.001)
        }
    }
}
