import Raster

/// A picture as fusion works on it: its planes, and its luma at ever smaller sizes for alignment.
final class FusionPicture {
    /// The side of a tile of luma.
    static let tile = 16
    /// The longer side of the smallest luma is no longer than this.
    private static let smallest = 128

    let format: PictureFormat
    let luma: SamplePlane
    let cb, cr: SamplePlane
    /// Luma at a half, a quarter and so on of its size.
    let pyramid: [SamplePlane]

    init(format: PictureFormat) {
        self.format = format
        let tile = Self.tile
        let chromaTile = (tile >> format.chroma.shiftX, tile >> format.chroma.shiftY)
        luma = SamplePlane(width: format.width, height: format.height, tileWidth: tile, tileHeight: tile)
        func chroma(_ plane: Plane) -> SamplePlane {
            SamplePlane(
                width: format.width(of: plane), height: format.height(of: plane), tileWidth: chromaTile.0,
                tileHeight: chromaTile.1)
        }
        (cb, cr) = (chroma(.cb), chroma(.cr))
        var (levels, width, height): ([SamplePlane], Int, Int) = ([], format.width, format.height)
        while max(width, height) > Self.smallest, min(width, height) >= 2 * tile {
            (width, height) = ((width + 1) / 2, (height + 1) / 2)
            levels.append(SamplePlane(width: width, height: height, tileWidth: tile, tileHeight: tile))
        }
        pyramid = levels
    }

    var byteCount: Int { ([luma, cb, cr] + pyramid).reduce(0) { $0 + $1.byteCount } }

    func plane(_ plane: Plane) -> SamplePlane {
        switch plane {
        case .luma: luma
        case .cb: cb
        case .cr: cr
        }
    }

    /// Luma at 1 / 2^level of its size.
    func level(_ level: Int) -> SamplePlane { level == 0 ? luma : pyramid[level - 1] }

    /// Takes a picture of this format.
    func read(_ picture: borrowing Picture) {
        for plane in Plane.allCases {
            let target = self.plane(plane)
            if format.bitDepth == 8 {
                picture.with8BitPlane(plane) { target.read($0, stride: $1, bitDepth: 8) }
            } else {
                picture.with16BitPlane(plane) { target.read($0, stride: $1, bitDepth: format.bitDepth) }
            }
        }
        var large = luma
        for small in pyramid {
            small.halve(large)
            large = small
        }
    }
}
