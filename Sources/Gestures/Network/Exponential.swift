/// e to the power of `x`, the same on every machine.
///
/// The C library's function may differ in its last bit from one machine to the next, which
/// training would blow up. This one is within 1e-15 of the true value, by the Taylor series
/// on |r| ≤ ln 2 / 2 and a power of two.
package func exponential(_ x: Double) -> Double {
    guard x > -700 else { return 0 }
    let bounded = min(x, 700)
    let exponent = (bounded * 1.442_695_040_888_963_4).rounded()
    let r = (bounded - exponent * 0.693_147_180_369_123_8) - exponent * 1.908_214_929_270_587_7e-10
    var sum = 1.0
    for n in stride(from: 14.0, to: 0, by: -1) { sum = 1 + r / n * sum }
    return sum * Double(sign: .plus, exponent: Int(exponent), significand: 1)
}
