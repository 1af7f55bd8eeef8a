import Raster

/// Several pictures on one.
enum ContactSheet {
    /// Puts pictures of one size side by side, row after row, with narrow dark joints.
    /// - Precondition: there is a picture, and all are of one size.
    static func arrange(_ tiles: [RGBAImage], columns: Int) -> RGBAImage {
        let joint = 4
        let (width, height) = (tiles[0].width, tiles[0].height)
        let rows = (tiles.count + columns - 1) / columns
        var sheet = RGBAImage(
            width: columns * (width + joint) + joint, height: rows * (height + joint) + joint)
        for pixel in 0..<sheet.width * sheet.height {
            for channel in 0..<3 { sheet.pixels[pixel * 4 + channel] = 24 }
            sheet.pixels[pixel * 4 + 3] = 255
        }
        for (index, tile) in tiles.enumerated() {
            precondition(tile.width == width && tile.height == height)
            let left = joint + (index % columns) * (width + joint)
            let top = joint + (index / columns) * (height + joint)
            for y in 0..<height {
                let target = ((top + y) * sheet.width + left) * 4
                let source = y * width * 4
                sheet.pixels.replaceSubrange(
                    target..<target + width * 4, with: tile.pixels[source..<source + width * 4])
            }
        }
        return sheet
    }
}
