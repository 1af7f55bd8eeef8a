internal import CRaster

/// Draws the background of a picture out of focus, as a fast lens does: each point of light becomes a disc.
///
/// The background is blurred in linear light, at the size of the picture's grid. Bright light is enlarged first, because
/// the brightest parts of a picture were clipped when it was taken; so they bloom into discs. All three colours are
/// enlarged by the same factor, so that cream does not turn yellow. People have no weight in the blur: none of their
/// colour gets into the background.
///
/// Used by one thread at a time.
package final class PortraitLens {
    private let tables: LightTables
    private let format: PictureFormat
    /// Weights of the background, and the blurred background.
    private let weights, luma, cb, cr: GridPlane
    /// Light with its margins, for a disc of `radius`; and the sums in discs.
    private var light = GridPlane(count: 0)
    private let sums: GridPlane
    private var disc = LensDisc(radius: 0)

    /// The radius of a disc at full strength, as a share of the picture's shorter side.
    private static let reach = 0.045

    package init(_ matte: PictureMatte) {
        let grid = matte.grid
        format = grid.format
        tables = LightTables(grid.format)
        weights = GridPlane(count: grid.count)
        luma = GridPlane(count: grid.count)
        cb = GridPlane(count: grid.count)
        cr = GridPlane(count: grid.count)
        sums = GridPlane(count: 4 * grid.count)
    }

    /// Draws the background of a picture out of focus.
    /// - Parameters:
    ///   - strength: 0…1.
    ///   - matte: The matte of this picture.
    package func draw(_ strength: Double, on picture: inout MutablePicture, matte: PictureMatte) {
        precondition(matte.fits(picture.format) && matte.fits(format))
        let grid = matte.grid, shape = grid.shape, count = grid.count
        let radius = strength * Self.reach * Double(min(format.width, format.height)) / Double(grid.factor)
        if disc.radius != radius { disc = LensDisc(radius: radius) }
        let reach = disc.halves.count - 1
        let size = 4 * craster_lens_row(shape, reach) * grid.rows
        if light.count < size { light = GridPlane(count: size) }
        matte.average(into: weights)
        let matrix = CRasterMatrix(format.matrix)
        unsafe craster_room_weights(weights.values(count), shape, grid.scratch.values(grid.scratch.count))
        unsafe tables.withPointers { tables in
            unsafe craster_linearise(
                light.values(size), shape, grid.luma.values(count), grid.cb.values(count), grid.cr.values(count),
                weights.values(count), matrix, tables, reach)
        }
        unsafe disc.halves.withUnsafeBufferPointer { halves in
            unsafe craster_disc_sums(sums.values(4 * count), shape, light.values(size), halves.baseAddress!, reach)
        }
        unsafe tables.withPointers { tables in
            unsafe craster_encode(
                luma.values(count), cb.values(count), cr.values(count), shape, sums.values(4 * count), matrix, tables)
        }
        // Below the size of a cell, the grid itself is softer than the disc.
        let share = Float(min(1, radius))
        for plane in Plane.allCases { replace(plane, share, of: &picture, matte: matte) }
        grid.pictureChanged()
    }

    @unsafe private func blurred(_ plane: Plane, _ count: Int) -> UnsafeMutablePointer<Float> {
        switch plane {
        case .luma: unsafe luma.values(count)
        case .cb: unsafe cb.values(count)
        case .cr: unsafe cr.values(count)
        }
    }

    private func replace(_ plane: Plane, _ share: Float, of picture: inout MutablePicture, matte: PictureMatte) {
        let grid = matte.grid
        let (inverse, offset) = grid.scaling(of: plane)
        let maximum = Float((1 << format.bitDepth) - 1)
        unsafe matte.withShape(of: plane) { samples, shape in
            unsafe craster_replace(
                picture.kernelPlane(plane), samples, shape, blurred(plane, grid.count), grid.shape,
                grid.cell(of: plane), share, 1 / inverse, -offset / inverse, maximum,
                grid.scratch.values(grid.scratch.count))
        }
    }
}

/// The disc into which a lens spreads a point of light, in cells of a grid.
private struct LensDisc {
    let radius: Double
    /// Half the widths of the disc's rows beyond the cell in the middle, from the middle row on; negative without one.
    let halves: [Float]

    init(radius: Double) {
        self.radius = radius
        halves = (0...Int(radius)).map { row in
            let half = (radius * radius - Double(row * row)).squareRoot() - 0.5
            return Float(row == 0 ? max(half, 0) : half)
        }
    }
}

/// The conversions between codes and light for a format. See ``CRasterLensTables``.
private struct LightTables {
    /// By codes, in equal steps from 0 to 1.
    private let light, gain: [Float]
    /// By light, in equal steps of its fourth root, from 0 to the greatest light.
    private let enlargedCodes, codes: [Float]
    private let enlargedPeak, peak: Double

    /// The light above which standard pictures are taken to be clipped, and the light of their white. Diffuse white is
    /// 1.
    private static let clipping = (from: 0.55, white: 4.0)

    init(_ format: PictureFormat) {
        let encoding = ColourEncoding(format)
        let last = Double(craster_table_size - 1)
        let plain = (0...Int(last)).map { encoding.light(of: Double($0) / last) }
        let enlarged = plain.map { light in
            guard encoding.transfer == .sdr, light > Self.clipping.from else { return light }
            let excess = (light - Self.clipping.from) / (1 - Self.clipping.from)
            return light + (Self.clipping.white - 1) * excess * excess
        }
        light = plain.map { Float($0) }
        gain = zip(enlarged, plain).map { $1 > 0 ? Float($0 / $1) : 1 }
        (enlargedCodes, codes) = (Self.inverse(of: enlarged), Self.inverse(of: plain))
        (enlargedPeak, peak) = (enlarged.last!, plain.last!)
    }

    /// Returns the codes of light, in equal steps of its fourth root.
    ///
    /// - Parameter light: The light of codes, in equal steps from 0 to 1.
    private static func inverse(of light: [Double]) -> [Float] {
        let last = Double(light.count - 1), peak = light.last!
        var below = 0
        return light.indices.map { index in
            let root = Double(index) / last
            let wanted = root * root * root * root * peak
            while below + 2 < light.count, light[below + 1] < wanted { below += 1 }
            let rise = light[below + 1] - light[below]
            let place = rise > 0 ? max(0, min(1, (wanted - light[below]) / rise)) : 0
            return Float((Double(below) + place) / last)
        }
    }

    func withPointers(_ body: (CRasterLensTables) -> Void) {
        unsafe light.withUnsafeBufferPointer { light in
            unsafe gain.withUnsafeBufferPointer { gain in
                unsafe enlargedCodes.withUnsafeBufferPointer { enlargedCodes in
                    unsafe codes.withUnsafeBufferPointer { codes in
                        unsafe body(
                            CRasterLensTables(
                                light: light.baseAddress!, gain: gain.baseAddress!,
                                enlarged_code: enlargedCodes.baseAddress!, code: codes.baseAddress!,
                                enlarged_peak: Float(enlargedPeak), peak: Float(peak)))
                    }
                }
            }
        }
    }
}

extension CRasterMatrix {
    init(_ matrix: ColourMatrix) {
        let kr = matrix.kr, kb = matrix.kb, kg = 1 - kr - kb
        self.init(
            red_cr: Float(2 * (1 - kr)), green_cb: Float(-2 * (1 - kb) * kb / kg),
            green_cr: Float(-2 * (1 - kr) * kr / kg), blue_cb: Float(2 * (1 - kb)), kr: Float(kr), kb: Float(kb))
    }
}
