/// The relation of code values to light.
package enum TransferFunction: String, Sendable, Hashable, CaseIterable {
    /// Standard dynamic range, regardless of the exact curve.
    case sdr
    /// SMPTE ST 2084, up to 10 000 cd/m².
    case pq
    /// ARIB STD-B67.
    case hlg
}

/// The red, green and blue primaries of a picture.
package enum ColourPrimaries: String, Sendable, Hashable, CaseIterable {
    case bt709, bt2020
}

/// Converts the colours of effects to the encoding of a picture. Effects have the colours of standard pictures (BT.709,
/// shown with a gamma of 2.4 as in ITU-R BT.1886).
///
/// In high dynamic range pictures the effects keep their appearance. White is 203 cd/m², the diffuse white of ITU-R
/// BT.2408, which is 58 % of PQ's range and 75 % of HLG's. Canvases store shares of this white, so that the full range
/// of their samples is used.
package struct ColourEncoding: Sendable, Hashable {
    package let transfer: TransferFunction
    package let primaries: ColourPrimaries
    /// The R′G′B′ code of diffuse white, 0…1.
    package let white: Double

    package init(_ format: PictureFormat) {
        self.init(transfer: format.transfer, primaries: format.primaries)
    }

    init(transfer: TransferFunction, primaries: ColourPrimaries) {
        self.transfer = transfer
        self.primaries = primaries
        white =
            switch transfer {
            case .sdr: 1
            case .pq: Self.pq(Self.diffuseWhite / 10_000)
            case .hlg: Self.hlg(Self.scene(1, luminance: 1))
            }
    }

    /// The encoding of standard pictures, which changes nothing.
    package static let standard = ColourEncoding(transfer: .sdr, primaries: .bt709)
    var isStandard: Bool { transfer == .sdr && primaries == .bt709 }

    /// The luminance of diffuse white in cd/m² (ITU-R BT.2408-7, 2.2).
    private static let diffuseWhite = 203.0

    /// - Parameters: R′G′B′ of a standard picture, 0…1.
    /// - Returns: R′G′B′ in this encoding as shares of ``white``, 0…1.
    package func encode(
        red: Double, green: Double, blue: Double
    ) -> (red: Double, green: Double, blue: Double) {
        if isStandard { return (red, green, blue) }
        var r = Self.power(red, 2.4), g = Self.power(green, 2.4), b = Self.power(blue, 2.4)
        if primaries == .bt2020 {
            // ITU-R BT.2087-0, table 4.
            (r, g, b) = (
                0.6274 * r + 0.3293 * g + 0.0433 * b, 0.0691 * r + 0.9195 * g + 0.0114 * b,
                0.0164 * r + 0.0880 * g + 0.8956 * b
            )
        }
        let luminance =
            primaries == .bt2020
            ? 0.2627 * r + 0.6780 * g + 0.0593 * b : 0.2126 * r + 0.7152 * g + 0.0722 * b
        func code(_ linear: Double) -> Double {
            switch transfer {
            case .sdr: Self.power(linear, 1 / 2.4)
            case .pq: Self.pq(linear * Self.diffuseWhite / 10_000)
            case .hlg: Self.hlg(Self.scene(linear, luminance: luminance))
            }
        }
        return (min(code(r) / white, 1), min(code(g) / white, 1), min(code(b) / white, 1))
    }

    /// Returns the code of a shade of grey, both as shares of white, 0…1.
    func encode(grey: Double) -> Double { encode(red: grey, green: grey, blue: grey).green }

    /// The inverse EOTF of PQ (ITU-R BT.2100-2, table 4); `light` is in shares of 10 000 cd/m².
    private static func pq(_ light: Double) -> Double {
        let y = power(light, 0.1593017578125)
        return power((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y), 78.84375)
    }

    /// Returns the light of one channel's code. For SDR and PQ this is the light of the display, in shares of diffuse
    /// white. For HLG it is the light of the scene, 0…1; ``displayGain(_:)`` converts it to the display's.
    package func light(of code: Double) -> Double {
        switch transfer {
        case .sdr: return Self.power(code, 2.4)
        case .pq:
            // The EOTF of PQ (ITU-R BT.2100-2, table 4).
            let n = Self.power(code, 1 / 78.84375)
            return Self.power(max(n - 0.8359375, 0) / (18.8515625 - 18.6875 * n), 1 / 0.1593017578125) * 10_000
                / Self.diffuseWhite
        case .hlg:
            let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
            if code <= 0.5 { return code * code / 3 }
            return (Self.exponential2((code - c) / a / 0.6931471805599453) + b) / 12
        }
    }

    /// Returns the factor from a scene's light to the light of a display of 1000 cd/m², in shares of diffuse white (the
    /// OOTF of ITU-R BT.2100-2, table 5).
    ///
    /// - Parameter luminance: The scene's luminance; its maximum is 1.
    package static func displayGain(_ luminance: Double) -> Double {
        power(max(luminance, 1e-6), 0.2) * 1000 / diffuseWhite
    }

    /// Returns the light of the scene for which HLG's display of 1000 cd/m² shows the given light (the inverse OOTF of
    /// ITU-R BT.2100-2, table 5, with its gamma of 1.2). Diffuse white is 1.
    private static func scene(_ linear: Double, luminance: Double) -> Double {
        let peak = 1000.0
        if luminance <= 0 { return 0 }
        return power(luminance * diffuseWhite / peak, -0.2 / 1.2) * linear * diffuseWhite / peak
    }

    /// The OETF of HLG.
    private static func hlg(_ light: Double) -> Double {
        let a = 0.17883277, b = 0.28466892, c = 0.55991073
        return light <= 1.0 / 12 ? (3 * light).squareRoot() : a * logarithm2(12 * light - b) * 0.6931471805599453 + c
    }
}

extension ColourEncoding {
    /// Returns x^y for x ≥ 0, in plain arithmetic, because the last bits of the C library's results differ between
    /// machines. Accurate to 1e-10 for results near 1.
    package static func power(_ x: Double, _ y: Double) -> Double {
        x > 0 ? exponential2(logarithm2(x) * y) : 0
    }

    private static func logarithm2(_ x: Double) -> Double {
        var mantissa = x.significand, exponent = Double(x.exponent)
        if mantissa > 1.4142135623730951 { (mantissa, exponent) = (mantissa / 2, exponent + 1) }
        // ln m = 2 artanh((m − 1) / (m + 1))
        let s = (mantissa - 1) / (mantissa + 1), s2 = s * s
        var sum = 0.0
        for k in stride(from: 15.0, through: 1, by: -2) { sum = sum * s2 + 1 / k }
        return exponent + 2 * s * sum * 1.4426950408889634
    }

    private static func exponential2(_ x: Double) -> Double {
        if x < -1000 { return 0 }
        let whole = x.rounded()
        let z = (x - whole) * 0.6931471805599453
        var sum = 1.0
        for k in stride(from: 12.0, through: 1, by: -1) { sum = 1 + sum * z / k }
        return Double(sign: .plus, exponent: Int(whole), significand: sum)
    }
}
