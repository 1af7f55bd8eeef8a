/// The part of the input's picture that the output shows at a frame, which auto framing chooses.
///
/// The unit is the upright picture of the input: (0, 0) is its upper left corner, (1, 1) its lower right. The part has the
/// proportions of the picture. The JSON form is the object `crop` of events (docs/events.md).
///
/// ```swift
/// if case .gesture(let gesture) = event.kind {
///     let place = gesture.crop?.placeInCrop(gesture.origin) ?? gesture.origin
///     print("in the output, the hand is at", place.x, place.y)
/// }
/// ```
public struct PictureCrop: Sendable, Hashable, Codable {
    /// The distance of the part's left side from the picture's left side.
    public var x: Double
    /// The distance of the part's upper side from the picture's upper side.
    public var y: Double
    /// The part's width as a share of the picture's width.
    public var width: Double
    /// The part's height as a share of the picture's height.
    public var height: Double

    /// Creates a part from fractions of the upright picture.
    public init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    /// Converts a place in the input's picture to a place in the output's; it is outside of 0…1 if the output does not
    /// show it.
    public func placeInCrop(_ point: PicturePoint) -> PicturePoint {
        tile.placeInTile(point)
    }

    /// Converts a place in the output's picture to a place in the input's.
    public func placeInPicture(_ point: PicturePoint) -> PicturePoint {
        tile.placeInPicture(point)
    }

    /// Converts a place in the input's picture to the nearest place that the output shows.
    package func nearestPlaceInCrop(_ point: PicturePoint) -> PicturePoint {
        let place = placeInCrop(point)
        return PicturePoint(x: min(max(place.x, 0), 1), y: min(max(place.y, 0), 1))
    }

    /// The part as the only tile of a picture.
    package var tile: LayoutTile { LayoutTile(id: 1, x: x, y: y, width: width, height: height) }

    /// The part with five decimal places, which is finer than a pixel of the largest pictures.
    package var rounded: PictureCrop {
        let tile = tile.rounded
        return PictureCrop(x: tile.x, y: tile.y, width: tile.width, height: tile.height)
    }
}
