import Raster

/// What is done to a photograph once its pictures are fused.
package struct PictureFinish: Sendable, Hashable {
    /// How many deviations of noise detail must have to stay as it is; 0 leaves all noise that fusion left.
    package var denoising: Float
    /// How much of what a slight blur takes away is added; 0 for none.
    package var sharpening: Float
    /// Whether blacks, whites and brightness are set as a photographer would, a little.
    package var tones: Bool

    /// Whether time counts for more than the last tenth of a decibel.
    package var isQuick = false

    package init(denoising: Float = 2.3, sharpening: Float = 0.45, tones: Bool = true) {
        (self.denoising, self.sharpening, self.tones) = (denoising, sharpening, tones)
    }

    /// Nothing at all.
    package static let none = PictureFinish(denoising: 0, sharpening: 0, tones: false)
    /// What makes a picture truer and not merely nicer: to be measured against an original.
    package static let truthful = PictureFinish(sharpening: 0, tones: false)

    /// Changes a picture.
    ///
    /// - Parameter noise: `nil` where nobody knows.
    func apply(to picture: FusionPicture, noise: NoiseLeft?) {
        if let noise, denoising > 0 {
            let chroma = picture.format.chroma
            let luma = SpatialDenoiser(threshold: denoising, isQuick: isQuick)
            luma.apply(to: picture.luma, noise, noise.luma, shiftX: 0, shiftY: 0)
            // Colours are seen less sharply than brightness, and their noise more.
            let colour = SpatialDenoiser(threshold: denoising * 1.3, isQuick: isQuick)
            colour.apply(to: picture.cb, noise, noise.cb, shiftX: chroma.shiftX, shiftY: chroma.shiftY)
            colour.apply(to: picture.cr, noise, noise.cr, shiftX: chroma.shiftX, shiftY: chroma.shiftY)
        }
        if tones, picture.format.transfer == .sdr { ToneCurve(picture)?.apply(to: picture) }
        if sharpening > 0 { Sharpener(amount: sharpening).apply(to: picture.luma, noise: noise) }
    }
}
