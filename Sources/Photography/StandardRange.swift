package import Raster

/// Maps a picture of high dynamic range to one of standard range, for photographs in file types without high dynamic
/// range.
///
/// Diffuse white stays white, darker tones do not change, and highlights are compressed into the rest of the range,
/// with their hue. Colours outside BT.709 lose saturation.
package struct StandardRange {
    /// The number of steps of a table.
    private static let steps = 4096
    /// The share of diffuse white up to which light does not change.
    private static let knee: Float = 0.6

    private let source: PictureFormat
    private let conversion: RGBConversion
    /// The light for each step of a code of 0…1, as a share of diffuse white.
    private let light: [Float]
    /// The code, 0…1, for each step of the square root of light.
    private let codes: [Float]

    /// Returns the format of the result: 4:4:4 of 10 bits in BT.709.
    package static func format(for format: PictureFormat) -> PictureFormat {
        PictureFormat(width: format.width, height: format.height, bitDepth: 10, chroma: .yuv444)
    }

    /// - Precondition: The format has more than 8 bits.
    package init(_ format: PictureFormat) {
        precondition(format.bitDepth > 8)
        source = format
        conversion = RGBConversion(format)
        let encoding = ColourEncoding(format)
        light = (0...Self.steps).map { Float(encoding.light(of: Double($0) / Double(Self.steps))) }
        codes = (0...Self.steps).map { Float(ColourEncoding.power(Double($0) / Double(Self.steps), 2 / 2.4)) }
    }

    /// Writes the mapped picture into a picture of ``format(for:)``.
    package func tone(_ picture: borrowing Picture, into result: inout MutablePicture) {
        let width = source.width
        var rows = [[Float]](repeating: [Float](repeating: 0, count: width), count: 3)
        var codes = [[UInt16]](repeating: [UInt16](repeating: 0, count: width), count: 3)
        for y in 0..<source.height {
            for plane in Plane.allCases { read(picture, plane, y, into: &rows[plane.rawValue]) }
            for x in 0..<width {
                let (luma, cb, cr) = toned(rows[0][x], rows[1][x], rows[2][x])
                codes[0][x] = UInt16(64 + 876 * luma + 0.5)
                codes[1][x] = UInt16(512 + 896 * cb + 0.5)
                codes[2][x] = UInt16(512 + 896 * cr + 0.5)
            }
            for plane in Plane.allCases {
                result.with16BitPlane(plane) { samples, stride in
                    for x in 0..<width { samples[y * stride + x] = codes[plane.rawValue][x] }
                }
            }
        }
    }

    /// - Returns: Y′ of 0…1, and C′B and C′R of -0.5…0.5.
    private func toned(_ luma: Float, _ cb: Float, _ cr: Float) -> (Float, Float, Float) {
        let code = conversion.rgb(luma, cb, cr)
        var (r, g, b) = (linear(code.red), linear(code.green), linear(code.blue))
        if source.transfer == .hlg {
            // Applies the OOTF of a display of 1000 cd/m² (ITU-R BT.2100-2, table 5). It depends on all channels, so
            // the table of one channel cannot include it.
            let scene = max(0.2627 * r + 0.678 * g + 0.0593 * b, 1e-6)
            let gain = ColourEncoding.displayGain(Double(scene))
            (r, g, b) = (r * Float(gain), g * Float(gain), b * Float(gain))
        }
        if source.primaries == .bt2020 {
            // The inverse of ITU-R BT.2087-0, table 4.
            (r, g, b) = (
                1.6605 * r - 0.5876 * g - 0.0728 * b, -0.1246 * r + 1.1329 * g - 0.0083 * b,
                -0.0182 * r - 0.1006 * g + 1.1187 * b
            )
        }
        (r, g, b) = (max(r, 0), max(g, 0), max(b, 0))
        let strongest = max(r, max(g, b))
        if strongest > Self.knee {
            let room = 1 - Self.knee, over = (strongest - Self.knee) / room
            // Continues with the same slope, and never exceeds 1.
            let scale = (Self.knee + room * over / (1 + over)) / strongest
            (r, g, b) = (r * scale, g * scale, b * scale)
        }
        (r, g, b) = (gamma(r), gamma(g), gamma(b))
        let y = 0.2126 * r + 0.7152 * g + 0.0722 * b
        return (y, (b - y) / 1.8556, (r - y) / 1.5748)
    }

    private func linear(_ code: Float) -> Float { light[Int(min(max(code, 0), 1) * Float(Self.steps))] }

    private func gamma(_ light: Float) -> Float {
        codes[Int(min(light, 1).squareRoot() * Float(Self.steps))]
    }

    /// Reads a row of a plane at the luma's size.
    private func read(_ picture: borrowing Picture, _ plane: Plane, _ y: Int, into row: inout [Float]) {
        let (shiftX, shiftY) = plane == .luma ? (0, 0) : (source.chroma.shiftX, source.chroma.shiftY)
        let (width, height) = (source.width(of: plane), source.height(of: plane))
        picture.with16BitPlane(plane) { samples, stride in
            // A row of luma lies between two rows of chroma, a quarter of their distance from the nearer one.
            let near = min(y >> shiftY, height - 1)
            let far = shiftY == 0 ? near : min(max(near + (y & 1 == 0 ? -1 : 1), 0), height - 1)
            for x in row.indices {
                let left = min(x >> shiftX, width - 1)
                let right = shiftX == 1 && x & 1 == 1 ? min(left + 1, width - 1) : left
                let own = Float(samples[near * stride + left]) + Float(samples[near * stride + right])
                if far == near {
                    row[x] = own / 2
                } else {
                    let other = Float(samples[far * stride + left]) + Float(samples[far * stride + right])
                    row[x] = (3 * own + other) / 8
                }
            }
        }
    }
}
