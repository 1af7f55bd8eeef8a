/// Something to be drawn.
struct TileCommand: Sendable {
    enum Paint: Sendable {
        case shape(TileShape, TileColour)
        /// Indirect, so that the many shapes are small.
        indirect case sprite(TileSpritePaint)
    }
    let outline: TileOutline
    let paint: Paint

    /// Light adds and hides nothing, so that its place in the order does not matter.
    var isLight: Bool {
        switch paint {
        case .shape(_, let colour): colour.alpha == 0
        case .sprite: false
        }
    }
}

/// A sprite's level, where its texels lie in the picture, and how strongly it shows.
struct TileSpritePaint: Sendable {
    let level: TileSprite.Level
    let toTexels: AffineTransform
    let alphaScale, colourScale: UInt16
    /// 1 or 2: every so many pixels are sampled, those between are interpolated.
    let every: Int
}
