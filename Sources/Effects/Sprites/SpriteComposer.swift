package import Raster

/// Turns a sprite's file into a picture of the given size, or of the file's own size if that is smaller.
package typealias SpriteRasterizer = @Sendable (_ file: [UInt8], _ width: Int, _ height: Int) throws -> RGBAImage

/// Composes the frames of an animated sprite.
struct SpriteComposer {
    let animation: AnimatedSprite
    let file: [UInt8]
    let format: SpriteFormat
    let rasterize: SpriteRasterizer

    /// - Returns: `nil` if the file is not an animation.
    /// - Throws: ``SpriteFault`` for a damaged file.
    init?(_ file: [UInt8], rasterize: @escaping SpriteRasterizer) throws(SpriteFault) {
        format = SpriteFormat(of: file)
        guard let animation = try AnimatedSprite(file, format: format) else { return nil }
        self.animation = animation
        self.file = file
        self.rasterize = rasterize
    }

    /// Decodes and composes frames one after the other, so that only one canvas is in memory.
    ///
    /// - Parameters:
    ///   - count: The number of frames, from the first.
    ///   - height: The height of the pictures, if it is smaller than the canvas.
    ///   - body: Called with each picture.
    /// - Throws: The rasterizer's errors, and ``SpriteFault`` for a frame whose data do not match its header.
    func compose(_ count: Int, height: Int, _ body: (RGBAImage) -> Void) throws {
        var canvas = RGBAImage(width: animation.width, height: animation.height)
        let small = (
            width: max(1, (2 * height * canvas.width + canvas.height) / (2 * canvas.height)), height: height
        )
        for frame in animation.frames.prefix(count) {
            let still = animation.still(frame, of: file, format: format)
            let picture = try rasterize(still, frame.width, frame.height)
            guard picture.width == frame.width, picture.height == frame.height else {
                throw SpriteFault("a frame has another size than its header states")
            }
            let former = frame.disposal == .restore ? canvas : nil
            canvas.draw(picture, x: frame.x, y: frame.y, replacing: frame.replaces)
            body(height < canvas.height ? canvas.reduced(width: small.width, height: small.height) : canvas)
            switch frame.disposal {
            case .keep: break
            case .clear: canvas.clear(x: frame.x, y: frame.y, width: frame.width, height: frame.height)
            case .restore: if let former { canvas = former }
            }
        }
    }
}

extension SpriteComposer {
    /// Returns a sprite's picture, of an animation the first frame.
    ///
    /// - Throws: As ``compose(_:height:_:)``.
    static func still(
        _ file: [UInt8], height: Int, rasterizer: @escaping SpriteRasterizer
    ) throws -> RGBAImage {
        guard let composer = try SpriteComposer(file, rasterize: rasterizer) else {
            let width = max(1, Int((Double(height) * SpriteFormat.aspectRatio(of: file)).rounded()))
            return try rasterizer(file, width, height)
        }
        var first = RGBAImage(width: 1, height: 1)
        try composer.compose(1, height: height) { first = $0 }
        return first
    }
}

extension RGBAImage {
    /// Draws a smaller picture at a place.
    mutating func draw(_ picture: RGBAImage, x: Int, y: Int, replacing: Bool) {
        for row in 0..<picture.height {
            let from = row * picture.width * 4
            let to = ((y + row) * width + x) * 4
            if replacing {
                pixels.replaceSubrange(
                    to..<to + picture.width * 4, with: picture.pixels[from..<from + picture.width * 4])
                continue
            }
            for column in stride(from: 0, to: picture.width * 4, by: 4) {
                over(picture.pixels, from + column, at: to + column)
            }
        }
    }

    /// Draws one pixel over another.
    private mutating func over(_ source: [UInt8], _ from: Int, at to: Int) {
        let alpha = Int(source[from + 3])
        if alpha == 0 { return }
        let rest = (Int(pixels[to + 3]) * (255 - alpha) + 127) / 255
        let sum = alpha + rest
        for channel in 0..<3 {
            let mixed = Int(source[from + channel]) * alpha + Int(pixels[to + channel]) * rest
            pixels[to + channel] = UInt8((mixed + sum / 2) / sum)
        }
        pixels[to + 3] = UInt8(sum)
    }

    fileprivate mutating func clear(x: Int, y: Int, width: Int, height: Int) {
        for row in y..<y + height {
            for place in (row * self.width + x) * 4..<(row * self.width + x + width) * 4 { pixels[place] = 0 }
        }
    }
}
