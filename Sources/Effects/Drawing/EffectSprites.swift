package import Raster
import Reactions

/// The sprites rasterised so far, by size and colour. Missing ones are added on demand.
///
/// The ``ParticleRenderer``s of a picture's tiles share them. Used by one thread at a time.
final class EffectSprites {
    struct Name: Hashable, Sendable {
        var sprite: String
        var colour: EffectColour?
        var height: Int
        var encoding = ColourEncoding.standard
    }

    /// The colour encoding of the pictures on which sprites are drawn from now on.
    var encoding = ColourEncoding.standard

    private let sources: [String: [UInt8]]
    private let texts: [String: TextSprite]
    private let rasterize: SpriteRasterizer
    private var images: [Name: RGBAImage] = [:]
    private(set) var sprites: [Name: SpriteFilm] = [:]
    /// The memory of the stills and of the animations in ``sprites`` in bytes.
    private var stillSize = 0, animationSize = 0
    /// The maximum of each size. Beyond it, the sprites of that kind are drawn again when they are needed: each palette
    /// has sprites of its own, and a client may choose many.
    static let greatestSize = 384 << 20

    init(library: EffectLibrary, rasterize: @escaping SpriteRasterizer) {
        sources = library.sprites
        texts = library.texts
        self.rasterize = rasterize
    }

    /// Returns a sprite that is at least `pixels` high; its height is a power of two from 64 to 1024.
    ///
    /// - Parameter colour: The tint. The sprite's middle grey becomes this colour, darker greys become its shades, and
    ///   lighter greys its highlights.
    func sprite(_ name: String, pixels: Double, colour: EffectColour?) throws(EffectError) -> SpriteFilm {
        var height = 64
        while Double(height) < pixels, height < 1024 { height *= 2 }
        let key = Name(sprite: name, colour: colour, height: height, encoding: encoding)
        if let known = sprites[key] { return known }
        let film = try film(key)
        if !hasRoom(for: film) {
            sprites = sprites.filter { $0.value.isAnimated != film.isAnimated }
            if film.isAnimated { animationSize = 0 } else { stillSize = 0 }
        }
        add(film, key)
        return film
    }

    private func hasRoom(for film: SpriteFilm) -> Bool {
        (film.isAnimated ? animationSize : stillSize) + film.size <= Self.greatestSize
    }

    private func add(_ film: SpriteFilm, _ name: Name) {
        if film.isAnimated { animationSize += film.size } else { stillSize += film.size }
        sprites[name] = film
    }

    private func film(_ key: Name) throws(EffectError) -> SpriteFilm {
        let encoding = encoding
        func finished(_ image: RGBAImage) -> BandSprite {
            BandSprite((key.colour.map { Self.tinted(image, $0) } ?? image).encoded(by: encoding))
        }
        do {
            if let text = texts[key.sprite] {
                return SpriteFilm(finished(try text.picture(height: key.height, rasterize: rasterize)))
            }
            if let source = sources[key.sprite] {
                if let composer = try SpriteComposer(source, rasterize: rasterize) {
                    var frames: [BandSprite] = []
                    try composer.compose(.max, height: key.height) { frames.append(finished($0)) }
                    return SpriteFilm(frames: frames, ends: composer.animation.ends)
                }
            }
        } catch {
            throw Self.failure(key.sprite, error)
        }
        return SpriteFilm(finished(try image(key.sprite, height: key.height)))
    }

    private static func failure(_ name: String, _ error: any Error) -> EffectError {
        let cause = (error as? SpriteFault)?.message ?? "\(error)"
        return EffectError(file: file(name), message: "the sprite cannot be drawn: \(cause)")
    }

    /// Adds sprites that were rasterised in advance.
    func adopt(_ others: [Name: SpriteFilm]) {
        for (name, film) in others where sprites[name] == nil && hasRoom(for: film) { add(film, name) }
    }

    /// Rasterises the sprites of an emitter and its children, for pictures that are `unit` pixels high.
    func prepare(_ emitter: EffectEmitter, unit: Double) throws(EffectError) {
        for (tint, emitter) in emitter.tintedSprites() {
            _ = try sprite(tint.sprite, pixels: emitter.spritePixels(unit: unit), colour: tint.colour)
        }
    }

    private func image(_ name: String, height: Int) throws(EffectError) -> RGBAImage {
        let key = Name(sprite: name, colour: nil, height: height)
        if let known = images[key] { return known }
        guard let source = sources[name] else {
            throw EffectError(file: Self.file(name), message: "no such sprite")
        }
        let width = max(1, Int((Double(height) * SpriteFormat.aspectRatio(of: source)).rounded()))
        let image: RGBAImage
        do {
            image = try rasterize(source, width, height)
        } catch {
            throw Self.failure(name, error)
        }
        images[key] = image
        return image
    }

    /// Returns a sprite's file: custom sprites have their paths as names.
    private static func file(_ name: String) -> String { name.contains("/") ? name : name + ".svg" }

    static func tinted(_ image: RGBAImage, _ colour: EffectColour) -> RGBAImage {
        var out = image
        // Each grey has one tint. Shades bend toward the colour's square, which keeps some saturation.
        let ramp = (0...255).map { grey -> (UInt8, UInt8, UInt8) in
            let t = Double(grey) / 255
            let c: EffectColour
            if t < 0.5 {
                let s = t * 2
                func shaded(_ x: Double) -> Double { x * s * (0.6 + 0.4 * s) + x * x * 0.4 * s * (1 - s) }
                c = EffectColour(red: shaded(colour.red), green: shaded(colour.green), blue: shaded(colour.blue))
            } else {
                c = colour.mixed(with: .white, t * 2 - 1)
            }
            func byte(_ x: Double) -> UInt8 { UInt8((min(max(x, 0), 1) * 255).rounded()) }
            return (byte(c.red), byte(c.green), byte(c.blue))
        }
        var pixels = out.pixels.mutableSpan
        let tints = ramp.span
        for i in stride(from: 0, to: pixels.count, by: 4) {
            (pixels[i], pixels[i + 1], pixels[i + 2]) = tints[Int(pixels[i + 1])]
        }
        return out
    }
}

/// A sprite as its frames; a still sprite has one.
struct SpriteFilm: Sendable {
    let frames: [BandSprite]
    /// The times in seconds at which the frames end, from the birth of a particle.
    let ends: [Double]

    init(frames: [BandSprite], ends: [Double]) {
        self.frames = frames
        self.ends = ends
    }

    init(_ still: BandSprite) { self.init(frames: [still], ends: [0]) }

    var isAnimated: Bool { ends.count > 1 }

    /// The approximate memory in bytes, mip levels included.
    var size: Int { frames.reduce(0) { $0 + $1.width * $1.height * 16 / 3 } }

    /// Returns the frame that a particle of an age shows; the animation is repeated without end.
    func frame(age: Double) -> BandSprite {
        guard frames.count > 1, let length = ends.last, age > 0 else { return frames[0] }
        let time = age.truncatingRemainder(dividingBy: length)
        return frames[min(ends.firstIndex { time < $0 } ?? 0, frames.count - 1)]
    }
}

/// The sprites of an effect, rasterised ahead of the first frame that shows them.
///
/// Rasterising them from SVG takes several milliseconds each, too long for one frame. The sprites are the same as those
/// rasterised on demand.
package struct PreparedSprites: Sendable {
    let sprites: [EffectSprites.Name: SpriteFilm]

    /// The memory of the animations in bytes.
    package var animationSize: Int { sprites.values.reduce(0) { $0 + ($1.isAnimated ? $1.size : 0) } }
    /// The maximum size of the animations of all effects together. A renderer adopts no more.
    package static let greatestAnimationSize = EffectSprites.greatestSize

    /// Rasterises all sprites of an effect. Failures are skipped: the first frame that needs the sprite reports them.
    ///
    /// - Parameters:
    ///   - geometry, format: The layout of the pictures on which the effect will be drawn.
    package init(
        of description: EffectDescription, library: EffectLibrary, rasterizer: @escaping SpriteRasterizer,
        geometry: DisplayGeometry, format: PictureFormat
    ) {
        let sprites = EffectSprites(library: library, rasterize: rasterizer)
        sprites.encoding = ColourEncoding(format)
        for emitter in description.emitters {
            try? sprites.prepare(emitter, unit: geometry.uprightHeight)
        }
        self.sprites = sprites.sprites
    }
}

extension EffectEmitter {
    /// The number of times that a sprite can be halved in size because even its sharpest particles are out of focus.
    var spriteHalvings: Int {
        let depth = min(max(0.6, motion.depth.minimum), motion.depth.maximum)
        return Int((appearance.blur * (depth - 0.6).magnitude).rounded(.down))
    }

    /// Returns the height in pixels at which the sprite is rasterised, for a picture of the height `unit`.
    func spritePixels(unit: Double) -> Double {
        let largest = appearance.size.maximum * (appearance.sizeOverLife.max() ?? 1)
        return largest * unit / Double(1 << spriteHalvings)
    }
}

extension EffectLibrary {
    /// Returns the picture of an effect for menus: the sprite of its icon, or else the first sprite that it uses, in
    /// the sprite's colour.
    ///
    /// - Parameter height: The height in pixels; the width follows from the aspect ratio.
    /// - Returns: `nil` for an effect without sprites.
    /// - Throws: The rasterizer's errors.
    package func iconImage(
        of type: String, height: Int, rasterizer: @escaping SpriteRasterizer
    ) throws -> RGBAImage? {
        guard let description = descriptions[type] else { return nil }
        let sprite = description.icon?.sprite ?? description.emitters.lazy.compactMap(\.appearance.sprite).first
        guard let sprite, let image = try spriteImage(sprite, height: height, rasterizer: rasterizer) else {
            return nil
        }
        guard let colour = description.icon?.colour else { return image }
        return EffectSprites.tinted(image, colour)
    }

    /// Returns a sprite as it is drawn, without a tint. Of animations, it is the first frame.
    ///
    /// - Parameter height: The height in pixels; the width follows from the aspect ratio.
    /// - Returns: `nil` if there is no sprite with this name.
    /// - Throws: The rasterizer's errors.
    private func spriteImage(
        _ name: String, height: Int, rasterizer: @escaping SpriteRasterizer
    ) throws -> RGBAImage? {
        if let text = texts[name] { return try text.picture(height: height, rasterize: rasterizer) }
        guard let source = sprites[name] else { return nil }
        return try SpriteComposer.still(source, height: height, rasterizer: rasterizer)
    }
}
