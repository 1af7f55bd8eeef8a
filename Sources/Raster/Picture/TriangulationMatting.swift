internal import CRaster

/// Computes the colours and the alpha of a drawing from two pictures: the drawing on black, and the same drawing on
/// white (A. R. Smith and J. F. Blinn, "Blue Screen Matting", SIGGRAPH 1996, triangulation).
///
/// Opaque matter is recovered exactly. Added light has no exact result, because alpha blending cannot make white
/// brighter. Light gets the lowest alpha that can represent its colour, and so darkens a bright background by that
/// alpha. Overlays (`OverlayCanvas` of Pipeline) use this type.
package struct TriangulationMatting {
    private let width, height: Int
    private let from: CodeRange, to: CodeRange
    private let redWeight, blueWeight: Float

    /// The maximum value of a sample of alpha.
    private static let opaque: Float = 1023

    /// - Precondition: Both formats are 4:4:4 in limited range, of the same size and matrix. `drawing` has more than 8
    ///   bits, `result` has 10.
    package init(from drawing: PictureFormat, to result: PictureFormat) {
        precondition(drawing.chroma == .yuv444 && result.chroma == .yuv444)
        precondition(drawing.bitDepth > 8 && result.bitDepth == 10)
        precondition(drawing.matrix == result.matrix)
        precondition(drawing.width == result.width && drawing.height == result.height)
        (width, height) = (result.width, result.height)
        (redWeight, blueWeight) = (Float(drawing.matrix.kr), Float(drawing.matrix.kb))
        from = CodeRange(drawing)
        to = CodeRange(result)
    }

    /// Fills in straight (not premultiplied) colours and alpha, from the drawing on black and on white.
    ///
    /// - Parameters:
    ///   - alpha: 0…1023, row after row, `stride` apart.
    package func matte(
        black: borrowing Picture, white: borrowing Picture, colours: inout MutablePicture,
        alpha: inout MutableSpan<UInt16>, stride alphaStride: Int
    ) {
        // The factors that make the current row's colours straight: 1 / alpha, or 0 where the drawing is empty.
        var scales = [Float](repeating: 0, count: width)
        for y in 0..<height {
            var row = alpha._mutatingExtracting(y * alphaStride..<y * alphaStride + width)
            findAlpha(y, black, white, &row, &scales)
            for plane in Plane.allCases {
                black.with16BitPlane(plane) { source, stride in
                    let source = source.extracting(y * stride..<y * stride + width)
                    colours.with16BitPlane(plane) { target, stride in
                        var target = target._mutatingExtracting(y * stride..<y * stride + width)
                        straighten(source, &target, scales, isLuma: plane == .luma)
                    }
                }
            }
        }
    }

    private func findAlpha(
        _ y: Int, _ black: borrowing Picture, _ white: borrowing Picture, _ alpha: inout MutableSpan<UInt16>,
        _ scales: inout [Float]
    ) {
        black.with16BitPlane(.luma) { luma, stride in
            let luma = luma.extracting(y * stride..<y * stride + width)
            black.with16BitPlane(.cb) { cb, stride in
                let cb = cb.extracting(y * stride..<y * stride + width)
                black.with16BitPlane(.cr) { cr, stride in
                    let cr = cr.extracting(y * stride..<y * stride + width)
                    white.with16BitPlane(.luma) { lit, stride in
                        let lit = lit.extracting(y * stride..<y * stride + width)
                        findAlpha(luma, cb, cr, lit, &alpha, &scales)
                    }
                }
            }
        }
    }

    private func findAlpha(
        _ luma: Span<UInt16>, _ cb: Span<UInt16>, _ cr: Span<UInt16>, _ lit: Span<UInt16>,
        _ alpha: inout MutableSpan<UInt16>, _ scales: inout [Float]
    ) {
        precondition(luma.count == width && cb.count == width && cr.count == width && lit.count == width)
        precondition(alpha.count == width && scales.count == width)
        let matting = CRasterMatting(
            black: Float(from.black), neutral: Float(from.neutral), per_luma: 1 / Float(from.luma),
            per_chroma: 1 / Float(from.chroma), kr: redWeight, kb: blueWeight, opaque: Self.opaque)
        unsafe luma.withUnsafeBufferPointer { luma in
            unsafe cb.withUnsafeBufferPointer { cb in
                unsafe cr.withUnsafeBufferPointer { cr in
                    unsafe lit.withUnsafeBufferPointer { lit in
                        unsafe alpha.withUnsafeMutableBufferPointer { alpha in
                            unsafe scales.withUnsafeMutableBufferPointer { scales in
                                unsafe craster_find_alpha(
                                    alpha.baseAddress, scales.baseAddress, luma.baseAddress, cb.baseAddress,
                                    cr.baseAddress, lit.baseAddress, width, matting)
                            }
                        }
                    }
                }
            }
        }
    }

    private func straighten(
        _ source: Span<UInt16>, _ target: inout MutableSpan<UInt16>, _ scales: [Float], isLuma: Bool
    ) {
        precondition(source.count == width && target.count == width && scales.count == width)
        let zero = Float(isLuma ? from.black : from.neutral)
        let (base, range) = isLuma ? (Float(to.black), Float(to.luma)) : (Float(to.neutral), Float(to.chroma))
        let per = range / Float(isLuma ? from.luma : from.chroma)
        let (least, greatest) = isLuma ? (base, base + range) : (base - range / 2, base + range / 2)
        let code = CRasterCode(zero: zero, per: per, base: base, least: least, greatest: greatest)
        unsafe source.withUnsafeBufferPointer { source in
            unsafe target.withUnsafeMutableBufferPointer { target in
                unsafe scales.withUnsafeBufferPointer { scales in
                    unsafe craster_straighten(
                        target.baseAddress, source.baseAddress, scales.baseAddress, width, code)
                }
            }
        }
    }
}
