package import Inference
package import Raster

/// What finds palms for a ``HandTracker``.
package protocol PalmDetecting: AnyObject {
    /// Looks through a window of the picture.
    /// - Returns: palms in upright pixels, by falling score, without duplicates.
    func palms(
        in picture: borrowing Picture, geometry: DisplayGeometry, window: PictureWindow
    ) throws(InferenceError) -> [Palm]
}

/// What finds the points of a hand for a ``HandTracker``.
package protocol HandLandmarking: AnyObject {
    /// Looks at a region; says by `presence` whether there is a hand in it at all.
    func hand(
        in picture: borrowing Picture, geometry: DisplayGeometry, region: HandRegion
    ) throws(InferenceError) -> HandLandmarks
}
