import Raster

extension Layer {
    /// Lays this layer over an 8-bit 4:2:0 picture.
    ///
    /// - Parameters:
    ///   - grain: noise added where the layer covers, or nil.
    ///   - strength: the noise's greatest deviation in code values.
    func composite(
        onto picture: inout MutablePicture, grain: Grain?, strength: Float, frame: Int
    ) {
        let conversion = ColourConversion(format: picture.format)
        let whole = PixelBox(left: 0, top: 0, right: picture.format.width, bottom: picture.format.height)
        let area = box.clipped(to: whole)
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
        _ area: PixelBox, onto target: UnsafeMutablePointer<UInt8>, stride: Int,
        noise: UnsafePointer<Int8>, amount: Float, offset: (x: Int, y: Int),
        _ conversion: ColourConversion
    ) {
        let (yr, yg, yb, y0) = (conversion.yr, conversion.yg, conversion.yb, conversion.y0)
        let mask = Grain.side - 1
        unsafe withSamples { samples in
            var y = area.top
            while y < area.bottom {
                var p = unsafe samples + ((y - box.top) * box.width + area.left - box.left) * 4
                let row = unsafe target + y * stride
                let grain = unsafe noise + ((y + offset.y) & mask) * Grain.side
                var x = area.left
                while x < area.right {
                    let alpha = unsafe p[3]
                    if alpha > 0 {
                        let over = unsafe p[0] * yr + p[1] * yg + p[2] * yb + y0 * alpha
                        let deviation = unsafe Float(grain[(x + offset.x) & mask]) * amount * alpha
                        var value = unsafe Float(row[x]) * (1 - alpha) + over + deviation + 0.5
                        if value < 0 { value = 0 }
                        if value > 255 { value = 255 }
                        unsafe row[x] = UInt8(value)
                    }
                    unsafe p += 4
                    x += 1
                }
                y += 1
            }
        }
    }

    /// Each chroma sample takes the mean of the (up to four) pixels that share it.
    private func blendChroma(
        _ area: PixelBox, size: (Int, Int), onto target: UnsafeMutablePointer<UInt8>, stride: Int,
        _ weights: (Float, Float, Float)
    ) {
        let (wr, wg, wb) = weights
        unsafe withSamples { samples in
            var cy = area.top / 2
            while cy < (area.bottom + 1) / 2 {
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
                        var value = unsafe Float(row[cx]) * (1 - share) + colour * 0.25 + 128 * share + 0.5
                        if value < 0 { value = 0 }
                        if value > 255 { value = 255 }
                        unsafe row[cx] = UInt8(value)
                    }
                    cx += 1
                }
                cy += 1
            }
        }
    }

    /// The layer moved by a part of a pixel and more, resampled bilinearly.
    func shifted(x: Float, y: Float) -> Layer {
        let wholeX = Int(x.rounded(.down))
        let wholeY = Int(y.rounded(.down))
        let fx = x - Float(wholeX)
        let fy = y - Float(wholeY)
        let target = Layer(
            box: PixelBox(
                left: box.left + wholeX, top: box.top + wholeY, right: box.right + wholeX + 1,
                bottom: box.bottom + wholeY + 1))
        let (w, h, tw) = (box.width, box.height, target.box.width)
        unsafe withSamples { from in
            unsafe target.withSamples { to in
                var row = 0
                while row < h {
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
                    row += 1
                }
            }
        }
        return target
    }
}
