import MediaIO
import Raster
import Synchronization

/// Pictures that were drawn from SVG, for runs that follow each other or go on side by side: a modelled sprite takes a
/// tenth of a second.
///
/// Whoever wants one that another run is drawing waits for it.
final class SpriteDrawings: Sendable {
    private struct Key: Hashable {
        var svg: [UInt8]
        var width: Int
        var height: Int
    }

    private final class Drawing: Sendable {
        let image = Mutex<RGBAImage?>(nil)
    }

    /// Those of all effects that are built in, at two sizes, are fewer.
    private static let most = 48

    private let drawings = Mutex<[Key: Drawing]>([:])

    /// A picture of a size.
    /// - Throws: `MediaError` where it cannot be drawn.
    func drawing(of svg: [UInt8], width: Int, height: Int) throws(MediaError) -> RGBAImage {
        let key = Key(svg: svg, width: width, height: height)
        let drawing = drawings.withLock { drawings in
            if let known = drawings[key] { return known }
            // Effects of one's own are changed and tried again and again.
            if drawings.count >= Self.most { drawings = [:] }
            let fresh = Drawing()
            drawings[key] = fresh
            return fresh
        }
        return try drawing.image.withLock { image throws(MediaError) in
            if let image { return image }
            let drawn = try RGBAImage.rasterizeSVG(svg, width: width, height: height)
            image = drawn
            return drawn
        }
    }
}
