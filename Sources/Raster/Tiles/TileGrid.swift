/// What all parts of a ``TileCanvas`` agree on.
package enum TileGrid {
    /// The value of a sample that stands for 1.
    package static let one: UInt16 = 1 << 14
    /// The size of a tile, in pixels.
    package static let tileWidth = 32
    package static let tileHeight = 16
    /// Pixels from one sample to the next of what is drawn coarsely.
    static let coarseStep = 4
}
