import Raster

/// From gamma-coded R′G′B′ (0…1) to the code values of a picture's format.
struct ColourConversion: Sendable {
    let yr, yg, yb, y0: Float
    let ur, ug, ub, vr, vg, vb: Float

    init(format: PictureFormat) {
        let codes = BlendCoefficients(format)
        (yr, yg, yb) = (Float(codes.lumaRed), Float(codes.lumaGreen), Float(codes.lumaBlue))
        y0 = Float(codes.lumaOffset)
        (ur, ug, ub) = (Float(codes.cbRed), Float(codes.cbGreen), Float(codes.cbBlue))
        (vr, vg, vb) = (Float(codes.crRed), Float(codes.crGreen), Float(codes.crBlue))
    }
}
