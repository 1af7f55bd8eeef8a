package import MediaIO
package import Raster
import Synchronization

/// A cache of pictures drawn from SVG, for consecutive or concurrent runs. Any thread may use it. Drawing a detailed
/// sprite takes a tenth of a second.
///
/// A run that needs a picture waits for it if another run is drawing it.
package final class SpriteDrawings: Sendable {
    private struct Key: Hashable {
        var svg: [UInt8]
        var width: Int
        var height: Int
    }

    private final class Drawing: Sendable {
        let image = Mutex<RGBAImage?>(nil)
    }

    /// The maximum number of pictures in the cache. All built-in effects at two sizes need fewer.
    private static let maximum = 48

    private let drawings = Mutex<[Key: Drawing]>([:])

    /// Returns a picture of a size.
    ///
    /// - Throws: `MediaError` if it cannot be drawn.
    package func drawing(of svg: [UInt8], width: Int, height: Int) throws(MediaError) -> RGBAImage {
        // Files of pictures are decoded quickly, and the frames of one animation would fill the cache.
        if RGBAImage.isPicture(svg) { return try RGBAImage.sprite(svg, width: width, height: height) }
        let key = Key(svg: svg, width: width, height: height)
        let drawing = drawings.withLock { drawings in
            if let known = drawings[key] { return known }
            // Users edit and retry custom effects, which would fill the cache.
            if drawings.count >= Self.maximum { drawings = [:] }
            let fresh = Drawing()
            drawings[key] = fresh
            return fresh
        }
        return try drawing.image.withLock { image throws(MediaError) in
            if let image { return image }
            let drawn = try RGBAImage.sprite(svg, width: width, height: height)
            image = drawn
            return drawn
        }
    }
}
