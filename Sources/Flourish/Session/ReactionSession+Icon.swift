import Effects
import MediaIO
import Raster

/// Renders icons of reaction types as PNG, from the sprites of their effects.
extension ReactionSession {
    /// Returns an icon of a type for a user interface, as the bytes of a PNG file with a transparent background, made
    /// from the effect's own sprites.
    ///
    /// - Parameters:
    ///   - reactionType: the type.
    ///   - height: the picture's height in pixels.
    /// - Returns: `nil` for a type that cannot be shown or has no sprite.
    /// - Throws: ``FlourishError``.
    public func pngIcon(for reactionType: ReactionType, height: Int = 96) throws(FlourishError) -> [UInt8]? {
        let catalog = try EffectCatalog(resources: resources)
        do {
            return try catalog.library.iconImage(of: reactionType.rawValue, height: height) { svg, width, height in
                try RGBAImage.sprite(svg, width: width, height: height)
            }?.pngBytes()
        } catch {
            throw FlourishError(describing: error)
        }
    }
}
