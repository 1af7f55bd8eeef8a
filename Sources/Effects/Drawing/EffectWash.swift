import Raster
import Reactions

/// What an effect does to the whole room at a time.
struct EffectWash {
    private let dim: EffectDim
    private let amount: Double
    private let time: Double
    private let geometry: DisplayGeometry

    /// Nil where there is nothing to veil.
    init?(_ instance: EffectInstance, at time: Double, geometry: DisplayGeometry) {
        guard let dim = instance.description.dim else { return nil }
        let entrance = instance.description.entrance
        let coming = entrance > 0 ? EffectMath.smooth((time - instance.startTime) / entrance) : 1
        amount = dim.amount * coming * instance.exitFade(at: time)
        if amount < 0.002 { return nil }
        self.dim = dim
        self.time = time - instance.startTime
        self.geometry = geometry
    }

    /// The share of the veil that lies on people.
    var onPeople: Double { dim.people }

    func veil(_ format: PictureFormat) -> BlendWash {
        let toUpright = geometry.uprightToStored.inverse
        return BlendWash(
            width: format.width, height: format.height, red: dim.colour.red, green: dim.colour.green,
            blue: dim.colour.blue
        ) { x, y in
            let p = toUpright.apply(x: x, y: y)
            return amount(p.x / geometry.uprightHeight, p.y / geometry.uprightHeight)
        }
    }

    /// How much is hidden at a place, in heights of the frame.
    private func amount(_ x: Double, _ y: Double) -> Double {
        var a = 1.0
        if dim.vignette > 0 {
            let u = x / geometry.aspectRatio * 2 - 1
            let v = y * 2 - 1
            a *= 1 - dim.vignette * (1 - min(1, (u * u + v * v) * 0.6))
        }
        if dim.sky != 0 { a *= 1 - dim.sky * min(max(y, 0), 1) }
        if dim.haze > 0 {
            let n1 = EffectMath.sine(turns: x * 0.9 + y * 0.5 + time * 0.07)
            let n2 = EffectMath.sine(turns: x * 0.6 - y * 1.3 - time * 0.05 + n1 * 0.15)
            let n3 = EffectMath.sine(turns: x * 2.1 + y * 1.7 + time * 0.11 + n2 * 0.2)
            a *= 1 - dim.haze * (0.5 + 0.25 * n1 + 0.15 * n2 + 0.1 * n3)
        }
        return amount * a
    }
}
