import Raster

/// A rectangle of premultiplied red, green, blue and alpha as floats (0…1), for compositing over a picture.
///
/// A class owns the memory, so that kernels may access it by address, and layers can be passed on without copies. A
/// layer is drawn by one thread, and afterwards only read.
@safe
final class Layer: @unchecked Sendable {
    let box: PictureRegion
    /// Four floats a pixel, `box.width` pixels a row.
    private let samples: UnsafeMutableBufferPointer<Float>

    init(box: PictureRegion) {
        self.box = box
        let count = box.area * 4
        unsafe samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: count)
        unsafe samples.initialize(repeating: 0)
    }

    deinit { unsafe samples.deallocate() }

    var count: Int { unsafe samples.count }

    /// Lends the samples.
    func withSamples<R>(_ body: (UnsafeMutablePointer<Float>) -> R) -> R? {
        guard let base = unsafe samples.baseAddress, !box.isEmpty else { return nil }
        return unsafe body(base)
    }

    /// Softens the layer as a lens does, with a 1-2-1 filter across and down.
    func soften() {
        let width = box.width
        let height = box.height
        guard width > 2, height > 2 else { return }
        unsafe withSamples { pixels in
            for y in 0..<height { unsafe Layer.smooth(pixels + y * width * 4, count: width) }
            unsafe Layer.smoothDown(pixels, rowLength: width * 4, rows: height)
        }
    }

    /// Blurs an opaque layer with a box filter. Repeated calls give a smooth blur. The blur is too slow for every
    /// frame.
    func soften(radius: Int) {
        let (width, height) = (box.width, box.height)
        unsafe withSamples { pixels in
            for y in 0..<height {
                unsafe Layer.boxFilter(pixels + y * width * 4, count: width, step: 4, radius: radius)
            }
            for x in 0..<width {
                unsafe Layer.boxFilter(pixels + x * 4, count: height, step: width * 4, radius: radius)
            }
        }
    }

    private static func boxFilter(_ line: UnsafeMutablePointer<Float>, count: Int, step: Int, radius: Int) {
        var copy = [Float](repeating: 0, count: count)
        let scale = 1 / Float(2 * radius + 1)
        for channel in 0..<4 {
            for i in 0..<count { copy[i] = unsafe line[i * step + channel] }
            var sum: Float = 0
            for i in -radius...radius { sum += copy[max(0, min(count - 1, i))] }
            for i in 0..<count {
                unsafe line[i * step + channel] = sum * scale
                sum += copy[min(count - 1, i + radius + 1)] - copy[max(0, i - radius)]
            }
        }
    }

    private static func smooth(_ line: UnsafeMutablePointer<Float>, count: Int) {
        for channel in 0..<4 {
            var before = unsafe line[channel]
            var here = before
            var i = 0
            while i < count - 1 {
                let next = unsafe line[(i + 1) * 4 + channel]
                unsafe line[i * 4 + channel] = 0.25 * before + 0.5 * here + 0.25 * next
                before = here
                here = next
                i += 1
            }
        }
    }

    /// Applies the filter down the columns, a whole row at a time.
    private static func smoothDown(_ pixels: UnsafeMutablePointer<Float>, rowLength: Int, rows: Int) {
        let before = UnsafeMutablePointer<Float>.allocate(capacity: rowLength)
        defer { unsafe before.deallocate() }
        unsafe before.initialize(from: pixels, count: rowLength)
        for y in 0..<rows - 1 {
            let row = unsafe pixels + y * rowLength
            let next = unsafe row + rowLength
            var i = 0
            while i < rowLength {
                let here = unsafe row[i]
                unsafe row[i] = unsafe 0.25 * before[i] + 0.5 * here + 0.25 * next[i]
                unsafe before[i] = here
                i += 1
            }
        }
    }
}

extension Layer {
    /// Composites this layer over an 8-bit 4:2:0 picture.
    ///
    /// - Parameters:
    ///   - grain: The noise for the covered pixels; nil for none.
    ///   - strength: The maximum deviation of the noise in code values.
    ///   - frame: The frame's number, on which the noise depends.
    func composite(
        onto picture: inout MutablePicture, grain: Grain?, strength: Float, frame: Int
    ) {
        let conversion = ColourConversion(format: picture.format)
        let whole = PictureRegion(left: 0, top: 0, right: picture.format.width, bottom: picture.format.height)
        let area = box.intersection(whole)
        guard !area.isEmpty else { return }
        let offset = Grain.offset(frame: frame)
        let amount = grain == nil ? 0 : strength / 128
        let noise = grain?.values ?? [Int8](repeating: 0, count: Grain.side * Grain.side)
        picture.with8BitPlane(.luma) { plane, stride in
            unsafe plane.withUnsafeMutableBufferPointer { luma in
                unsafe noise.withUnsafeBufferPointer { noise in
                    guard let target = luma.baseAddress, let noise = noise.baseAddress else { return }
                    unsafe blendLuma(
                        area, onto: target, stride: stride, noise: noise, amount: amount,
                        offset: offset, conversion)
                }
            }
        }
        for plane in [Plane.cb, .cr] {
            let weights =
                plane == .cb
                ? (conversion.ur, conversion.ug, conversion.ub)
                : (conversion.vr, conversion.vg, conversion.vb)
            let size = (picture.format.width(of: plane), picture.format.height(of: plane))
            picture.with8BitPlane(plane) { samples, stride in
                unsafe samples.withUnsafeMutableBufferPointer { chroma in
                    guard let target = chroma.baseAddress else { return }
                    unsafe blendChroma(area, size: size, onto: target, stride: stride, weights)
                }
            }
        }
    }

    private func blendLuma(
        _ area: PictureRegion, onto target: UnsafeMutablePointer<UInt8>, stride: Int,
        noise: UnsafePointer<Int8>, amount: Float, offset: (x: Int, y: Int),
        _ conversion: ColourConversion
    ) {
        let (yr, yg, yb, y0) = (conversion.yr, conversion.yg, conversion.yb, conversion.y0)
        let mask = Grain.side - 1
        unsafe withSamples { samples in
            for y in area.top..<area.bottom {
                var p = unsafe samples + ((y - box.top) * box.width + area.left - box.left) * 4
                let row = unsafe target + y * stride
                let grain = unsafe noise + ((y + offset.y) & mask) * Grain.side
                var x = area.left
                while x < area.right {
                    let alpha = unsafe p[3]
                    if alpha > 0 {
                        let over = unsafe p[0] * yr + p[1] * yg + p[2] * yb + y0 * alpha
                        let deviation = unsafe Float(grain[(x + offset.x) & mask]) * amount * alpha
                        let value = unsafe Float(row[x]) * (1 - alpha) + over + deviation + 0.5
                        unsafe row[x] = UInt8(clamp(value, 0, 255))
                    }
                    unsafe p += 4
                    x += 1
                }
            }
        }
    }

    /// Blends each chroma sample with the mean of the layer's pixels (up to four) that share it.
    private func blendChroma(
        _ area: PictureRegion, size: (Int, Int), onto target: UnsafeMutablePointer<UInt8>, stride: Int,
        _ weights: (Float, Float, Float)
    ) {
        let (wr, wg, wb) = weights
        unsafe withSamples { samples in
            for cy in area.top / 2..<(area.bottom + 1) / 2 {
                let row = unsafe target + cy * stride
                var cx = area.left / 2
                while cx < (area.right + 1) / 2 {
                    var colour: Float = 0
                    var alpha: Float = 0
                    var corner = 0
                    while corner < 4 {
                        let x = cx * 2 + (corner & 1)
                        let y = cy * 2 + (corner >> 1)
                        if x >= area.left, x < area.right, y >= area.top, y < area.bottom {
                            let p = unsafe samples + ((y - box.top) * box.width + x - box.left) * 4
                            colour += unsafe p[0] * wr + p[1] * wg + p[2] * wb
                            alpha += unsafe p[3]
                        }
                        corner += 1
                    }
                    if alpha > 0 {
                        let share = alpha * 0.25
                        let value = unsafe Float(row[cx]) * (1 - share) + colour * 0.25 + 128 * share + 0.5
                        unsafe row[cx] = UInt8(clamp(value, 0, 255))
                    }
                    cx += 1
                }
            }
        }
    }

    /// Returns the layer moved by a fractional offset, resampled bilinearly.
    func shifted(x: Float, y: Float) -> Layer {
        let wholeX = Int(x.rounded(.down))
        let wholeY = Int(y.rounded(.down))
        let fx = x - Float(wholeX)
        let fy = y - Float(wholeY)
        let target = Layer(
            box: PictureRegion(
                left: box.left + wholeX, top: box.top + wholeY, right: box.right + wholeX + 1,
                bottom: box.bottom + wholeY + 1))
        let (w, h, tw) = (box.width, box.height, target.box.width)
        unsafe withSamples { from in
            unsafe target.withSamples { to in
                for row in 0..<h {
                    var i = 0
                    while i < w * 4 {
                        let value = unsafe from[row * w * 4 + i]
                        let t = unsafe to + row * tw * 4 + i
                        unsafe t[0] += value * (1 - fx) * (1 - fy)
                        unsafe t[4] += value * fx * (1 - fy)
                        unsafe t[tw * 4] += value * (1 - fx) * fy
                        unsafe t[tw * 4 + 4] += value * fx * fy
                        i += 1
                    }
                }
            }
        }
        return target
    }
}
