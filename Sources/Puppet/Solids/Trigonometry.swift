import Platform

/// The C library's functions, so that the other files need no platform's name.
func sine(_ angle: Float) -> Float { sinf(angle) }
func cosine(_ angle: Float) -> Float { cosf(angle) }
func arcTangent(_ y: Float, _ x: Float) -> Float { atan2f(y, x) }
func sine(_ angle: Double) -> Double { sin(angle) }
func cosine(_ angle: Double) -> Double { cos(angle) }
func exponential(_ value: Float) -> Float { expf(value) }
