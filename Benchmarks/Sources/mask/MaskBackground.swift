import Raster

/// A synthetic background: clutter, which may move, or a wall.
struct MaskBackground {
    let name: String
    private let seed: UInt64
    /// The pixels by which it moves each frame.
    private let motion: (x: Double, y: Double)
    private let brightness: Float
    private let objects: Int

    /// The backgrounds of the benchmark.
    static let all = [
        MaskBackground(name: "panning", seed: 3, motion: (3.3, 1.2), brightness: 1, objects: 90),
        MaskBackground(name: "still", seed: 7, motion: (0, 0), brightness: 1, objects: 70),
        MaskBackground(name: "wall", seed: 5, motion: (0, 0), brightness: 1.35, objects: 0),
        MaskBackground(name: "dark", seed: 11, motion: (0, 0), brightness: 0.35, objects: 70),
    ]

    /// An endless picture of rectangles over soft texture.
    private struct Box {
        var left, top, right, bottom: Float
        var colour: SIMD3<Float>
    }

    /// Returns the drawing of the background at any frame of a size.
    func painter(width: Int, height: Int) -> (_ frame: Int, _ picture: inout MutablePicture) -> Void {
        var random = MaskRandom(seed: seed)
        let (wide, tall) = (Float(width) * 1.4, Float(height) * 1.4)
        let boxes = (0..<objects).map { _ in
            let (x, y) = (Float(random.next()) * wide, Float(random.next()) * tall)
            return Box(
                left: x, top: y, right: x + 20 + 200 * Float(random.next()),
                bottom: y + 20 + 200 * Float(random.next()),
                colour: SIMD3(Float(random.next()), Float(random.next()), Float(random.next())))
        }
        let textures = [90.0, 31, 11].map { scale in MaskTexture(scale: Float(scale), seed: seed &+ UInt64(scale)) }
        let ground = SIMD3<Float>(0.45 + 0.2 * Float(random.next()), 0.5, 0.4 + 0.2 * Float(random.next()))
        let (motion, brightness) = (motion, brightness)
        return { frame, picture in
            let (dx, dy) = (Float(motion.x) * Float(frame), Float(motion.y) * Float(frame))
            func colour(_ column: Int, _ row: Int) -> SIMD3<Float> {
                let (x, y) = (Float(column) + dx, Float(row) + dy)
                var sum = ground
                for texture in textures { sum += SIMD3(repeating: 0.22 * (texture.value(x, y) - 0.5)) }
                for box in boxes where x >= box.left && x < box.right && y >= box.top && y < box.bottom {
                    sum = sum * 0.25 + box.colour * 0.75
                }
                sum *= brightness
                return sum.clamped(lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 1))
            }
            picture.fill(with: colour)
        }
    }
}

/// Smooth noise, 0…1.
private struct MaskTexture {
    let scale: Float
    let seed: UInt64

    func value(_ x: Float, _ y: Float) -> Float {
        let (u, v) = (x / scale, y / scale)
        let (column, row) = (Int(u.rounded(.down)), Int(v.rounded(.down)))
        let (s, t) = (u - Float(column), v - Float(row))
        let above = at(column, row) + (at(column + 1, row) - at(column, row)) * s
        let below = at(column, row + 1) + (at(column + 1, row + 1) - at(column, row + 1)) * s
        return above + (below - above) * t
    }

    private func at(_ column: Int, _ row: Int) -> Float {
        var random = MaskRandom(
            seed: seed &+ UInt64(bitPattern: Int64(column)) &* 0x9E37_79B9 &+ UInt64(bitPattern: Int64(row))
                &* 0x85EB_CA6B)
        return Float(random.next())
    }
}

/// The same random numbers on every machine.
struct MaskRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Returns the next number, 0…1.
    mutating func next() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((z ^ (z >> 31)) >> 11) / Double(1 << 53)
    }
}

extension MutablePicture {
    /// Fills an 8-bit picture of 4:2:0 in BT.709, limited range, with the colours of its pixels.
    fileprivate mutating func fill(with colour: (_ column: Int, _ row: Int) -> SIMD3<Float>) {
        let (width, height) = (format.width, format.height)
        var cb: [Float] = [], cr: [Float] = []
        with8BitPlane(.luma) { samples, stride in
            for row in 0..<height {
                for column in 0..<width {
                    let rgb = colour(column, row)
                    let luma = 0.2126 * rgb.x + 0.7152 * rgb.y + 0.0722 * rgb.z
                    samples[row * stride + column] = UInt8(16 + 219 * luma + 0.5)
                    guard row % 2 == 0, column % 2 == 0 else { continue }
                    cb.append(128 + 224 * (rgb.z - luma) / 1.8556)
                    cr.append(128 + 224 * (rgb.x - luma) / 1.5748)
                }
            }
        }
        for (plane, values) in [(Plane.cb, cb), (.cr, cr)] {
            let (across, down) = (format.width(of: plane), format.height(of: plane))
            with8BitPlane(plane) { samples, stride in
                for row in 0..<down {
                    for column in 0..<across {
                        samples[row * stride + column] = UInt8(values[row * across + column] + 0.5)
                    }
                }
            }
        }
    }
}
