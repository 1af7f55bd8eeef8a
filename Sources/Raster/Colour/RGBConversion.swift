/// Y′CbCr codes to R′G′B′ 0…1, by the luma weights of a format's matrix (ITU-T H.273, 8.3).
package struct RGBConversion {
    private let lumaOffset: Float, lumaScale: Float
    private let chromaOffset: Float
    private let red: Float, greenFromCb: Float, greenFromCr: Float, blue: Float

    package init(_ format: PictureFormat) {
        let step = Double(1 << (format.bitDepth - 8))
        let most = Double(1 << format.bitDepth) - 1
        let limited = format.range == .limited
        let chromaScale = 1 / (limited ? 224 * step : most)
        let kr = format.matrix.kr, kb = format.matrix.kb, kg = 1 - kr - kb
        lumaOffset = Float(limited ? 16 * step : 0)
        lumaScale = Float(1 / (limited ? 219 * step : most))
        chromaOffset = Float(128 * step)
        red = Float(2 * (1 - kr) * chromaScale)
        blue = Float(2 * (1 - kb) * chromaScale)
        greenFromCb = Float(-2 * (1 - kb) * kb / kg * chromaScale)
        greenFromCr = Float(-2 * (1 - kr) * kr / kg * chromaScale)
    }

    @inline(__always)
    package func rgb(_ y: Float, _ cb: Float, _ cr: Float) -> (red: Float, green: Float, blue: Float) {
        let luma = (y - lumaOffset) * lumaScale
        let u = cb - chromaOffset, v = cr - chromaOffset
        return (
            max(0, min(1, luma + red * v)),
            max(0, min(1, luma + greenFromCb * u + greenFromCr * v)),
            max(0, min(1, luma + blue * u))
        )
    }
}
