import Raster
package import Reactions
import Vision

/// Places in the part of a picture that is shown.
extension PictureCrop {
    /// The part in fractions of the upright picture.
    var rectangle: Rectangle { tile.rectangle }

    /// Converts a rectangle in fractions of the picture to fractions of the shown part.
    func rectangleInCrop(_ rectangle: Rectangle) -> Rectangle {
        Rectangle(
            left: (rectangle.left - x) / width, top: (rectangle.top - y) / height,
            right: (rectangle.right - x) / width, bottom: (rectangle.bottom - y) / height)
    }
}

extension SeenHand {
    /// Returns the hand as it appears in a part of the picture; in the whole picture if the part is `nil`.
    func cropped(to crop: PictureCrop?) -> SeenHand {
        guard let crop else { return self }
        let start = SIMD2(Float(crop.x), Float(crop.y)), size = SIMD2(Float(crop.width), Float(crop.height))
        var cropped = self
        cropped.outline = HandOutline(
            points: outline.points.map { ($0 - start) / size }, confidence: outline.confidence)
        return cropped
    }
}

extension ComingGesture {
    /// Returns the gesture as it appears in a part of the picture; in the whole picture if the part is `nil`.
    package func cropped(to crop: PictureCrop?) -> ComingGesture {
        guard let crop else { return self }
        var cropped = self
        cropped.hands = hands.map { hand in
            HandSpot(
                centre: crop.placeInCrop(hand.centre),
                palmLength: PicturePoint(x: hand.palmLength.x / crop.width, y: hand.palmLength.y / crop.height))
        }
        return cropped
    }
}

extension ReactionEvent.Kind {
    /// Returns the event with the shown part of the picture, if the event has a place in it.
    func cropped(to crop: PictureCrop) -> ReactionEvent.Kind {
        switch self {
        case .gesture(var detail):
            detail.crop = crop
            return .gesture(detail)
        case .candidate(var detail):
            detail.crop = crop
            return .candidate(detail)
        case .effectStarted(var detail):
            if detail.tile == nil { detail.crop = crop }
            return .effectStarted(detail)
        default: return self
        }
    }
}
