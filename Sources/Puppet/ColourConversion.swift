import Raster

/// From gamma-coded R′G′B′ (0…1) to the code values of a picture's format.
struct ColourConversion: Sendable {
    let yr, yg, yb, y0: Float
    let ur, ug, ub, vr, vg, vb: Float

    /// Source: ITU-T H.273, the matrix and range equations.
    init(format: PictureFormat) {
        let kr = Float(format.matrix.kr)
        let kb = Float(format.matrix.kb)
        let kg = 1 - kr - kb
        let lumaScale: Float = format.range == .limited ? 219 : 255
        let chromaScale: Float = format.range == .limited ? 224 : 255
        y0 = format.range == .limited ? 16 : 0
        yr = kr * lumaScale
        yg = kg * lumaScale
        yb = kb * lumaScale
        ur = -kr / (2 * (1 - kb)) * chromaScale
        ug = -kg / (2 * (1 - kb)) * chromaScale
        ub = 0.5 * chromaScale
        vr = 0.5 * chromaScale
        vg = -kg / (2 * (1 - kr)) * chromaScale
        vb = -kb / (2 * (1 - kr)) * chromaScale
    }
}
