/// The value a part `t` of the way from `a` to `b`.
func mix(_ a: Float, _ b: Float, _ t: Float) -> Float { a + (b - a) * t }

func mix(_ a: SIMD3<Float>, _ b: SIMD3<Float>, _ t: Float) -> SIMD3<Float> { a + (b - a) * t }

func clamp(_ value: Float, _ low: Float, _ high: Float) -> Float {
    value < low ? low : (value > high ? high : value)
}

/// 0 below `low`, 1 above `high`, and a smooth cubic between.
func smoothstep(_ low: Float, _ high: Float, _ value: Float) -> Float {
    let t = clamp((value - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)
}

func dot(_ a: SIMD3<Float>, _ b: SIMD3<Float>) -> Float { a.x * b.x + a.y * b.y + a.z * b.z }

func length(_ v: SIMD3<Float>) -> Float { dot(v, v).squareRoot() }

func normalised(_ v: SIMD3<Float>) -> SIMD3<Float> { v / length(v) }
