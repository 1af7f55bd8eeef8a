import Raster

/// A rectangle of pixels.
struct PixelBox: Sendable, Hashable {
    var left, top, right, bottom: Int

    var width: Int { right - left }
    var height: Int { bottom - top }
    var isEmpty: Bool { right <= left || bottom <= top }

    func clipped(to other: PixelBox) -> PixelBox {
        PixelBox(
            left: max(left, other.left), top: max(top, other.top),
            right: min(right, other.right), bottom: min(bottom, other.bottom))
    }
}

/// A rectangle of premultiplied red, green, blue and alpha as floats (0…1), to be laid over a picture.
///
/// The memory is a class's, so that kernels may use it by address and layers
/// can be handed on without copies.
@safe
final class Layer: @unchecked Sendable {
    let box: PixelBox
    /// Four floats a pixel, `box.width` pixels a row.
    private let samples: UnsafeMutableBufferPointer<Float>

    init(box: PixelBox) {
        self.box = box
        let count = max(0, box.width) * max(0, box.height) * 4
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

    /// Softens the layer as a lens does: a 1-2-1 filter across and down.
    func soften() {
        let width = box.width
        let height = box.height
        guard width > 2, height > 2 else { return }
        unsafe withSamples { pixels in
            var y = 0
            while y < height {
                unsafe Layer.smooth(pixels + y * width * 4, count: width, step: 4)
                y += 1
            }
            unsafe Layer.smoothDown(pixels, rowLength: width * 4, rows: height)
        }
    }

    /// Blurs a layer that is opaque everywhere by a box filter; repeat for a smooth blur. For
    /// pictures that are drawn once.
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

    private static func smooth(_ line: UnsafeMutablePointer<Float>, count: Int, step: Int) {
        var channel = 0
        while channel < 4 {
            var before = unsafe line[channel]
            var here = before
            var i = 0
            while i < count - 1 {
                let next = unsafe line[(i + 1) * step + channel]
                unsafe line[i * step + channel] = 0.25 * before + 0.5 * here + 0.25 * next
                before = here
                here = next
                i += 1
            }
            channel += 1
        }
    }

    /// The same filter down the columns, a whole row at a time.
    private static func smoothDown(_ pixels: UnsafeMutablePointer<Float>, rowLength: Int, rows: Int) {
        let before = UnsafeMutablePointer<Float>.allocate(capacity: rowLength)
        defer { unsafe before.deallocate() }
        unsafe before.initialize(from: pixels, count: rowLength)
        var y = 0
        while y < rows - 1 {
            let row = unsafe pixels + y * rowLength
            let next = unsafe row + rowLength
            var i = 0
            while i < rowLength {
                let here = unsafe row[i]
                unsafe row[i] = unsafe 0.25 * before[i] + 0.5 * here + 0.25 * next[i]
                unsafe before[i] = here
                i += 1
            }
            y += 1
        }
    }
}
