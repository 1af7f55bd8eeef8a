/// A colour for ``TileCanvas``: premultiplied, in steps of 1 / ``TileCanvas/one``.
///
/// Alpha says how much of what lies beneath is hidden. Colour without alpha is
/// light: it adds and hides nothing. Anything between is allowed (a glow that
/// also veils a little, so that it shows before a white wall).
package struct TileColour: Sendable, Hashable {
    package var red, green, blue, alpha: UInt16

    /// - Parameters:
    ///   - red, green, blue: non-linear (gamma-coded) components, 0…1, not premultiplied.
    ///   - opacity: 0…1.
    ///   - light: 0 for matter, which hides what is behind it; 1 for pure light.
    package init(red: Double, green: Double, blue: Double, opacity: Double, light: Double = 0) {
        func fixed(_ x: Double) -> UInt16 {
            UInt16((min(max(x, 0), 1) * Double(TileCanvas.one)).rounded())
        }
        self.red = fixed(red * opacity)
        self.green = fixed(green * opacity)
        self.blue = fixed(blue * opacity)
        alpha = fixed(opacity * (1 - light))
    }
}

/// A picture-sized layer on which effects are drawn before they meet the frame.
///
/// Colours are premultiplied R′G′B′ and alpha as 16-bit fixed point, each
/// channel a plane of its own, so that plain loops over rows vectorise. The
/// memory is allocated once. The canvas knows which of its tiles (32 × 16 pixels)
/// were drawn on; only those are converted, blended into the frame and cleared
/// again, so the cost follows the pixels touched and not the frame's size.
///
/// Coordinates are those of the *stored* picture's luma samples.
package struct TileCanvas: ~Copyable {
    /// The value that stands for 1.
    package static let one: UInt16 = 1 << 14
    package static let tileWidth = 32
    package static let tileHeight = 16

    package let width: Int
    package let height: Int
    /// Samples from one row of a channel to the next: whole tiles.
    let stride: Int
    let tileColumns: Int
    let tileRows: Int
    var red, green, blue, alpha: [UInt16]
    /// One entry a tile, row after row: 1 where something was drawn.
    var touched: [UInt8]
    /// Coverage of the row being drawn, 0…65535.
    var coverage: [UInt16]

    /// A transparent canvas. Memory: 8 bytes a pixel.
    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
        tileColumns = (width + Self.tileWidth - 1) / Self.tileWidth
        tileRows = (height + Self.tileHeight - 1) / Self.tileHeight
        stride = tileColumns * Self.tileWidth
        let count = stride * tileRows * Self.tileHeight
        red = [UInt16](repeating: 0, count: count)
        green = red
        blue = red
        alpha = red
        touched = [UInt8](repeating: 0, count: tileColumns * tileRows)
        coverage = [UInt16](repeating: 0, count: stride)
    }

    /// How many tiles hold something.
    package var touchedTileCount: Int { touched.reduce(0) { $0 + Int($1) } }

    /// Notes that samples `columns` of row `y` were drawn on.
    @inline(__always)
    mutating func touch(_ columns: Range<Int>, row y: Int) {
        let base = (y / Self.tileHeight) * tileColumns
        let first = columns.lowerBound / Self.tileWidth
        let last = (columns.upperBound - 1) / Self.tileWidth
        for tile in first...last { touched[base + tile] = 1 }
    }
}
