package import MediaIO
package import Raster

/// Draws effects on a transparent background, for overlays.
///
/// Everything is drawn twice, over black and over white. ``TriangulationMatting`` computes colours and opacity from
/// both pictures. So each effect keeps its appearance, whatever its drawing method is.
///
/// Used by one thread at a time.
package final class OverlayCanvas {
    /// The background frames, kept from frame to frame.
    private var black: VideoFrame?
    private var white: VideoFrame?
    private let grounds = FramePool(), turns = FramePool(), results = FramePool()
    /// The empty picture, which all frames of its size share.
    private var empty: VideoFrame?

    package init() {}

    /// Returns a picture that replaces a frame. It has the upright size and the time of that frame.
    ///
    /// - Parameters:
    ///   - prepare: draws what is behind the effects on a picture that is black, or white.
    ///   - draw: draws the effects. It is called twice, and must draw the same both times.
    ///   - limit: changes the pictures over black and over white after drawing.
    /// - Throws: The errors of `draw`, `MediaError` if there is no memory.
    package func picture(
        like frame: borrowing VideoFrame, before prepare: (inout VideoFrame) throws -> Void = { _ in },
        _ draw: (inout MutablePicture) throws -> Void,
        limit: (_ black: inout VideoFrame, _ white: inout VideoFrame) throws -> Void = { _, _ in }
    ) throws -> VideoFrame {
        var black = try ground(self.black.take(), like: frame)
        var white = try ground(self.white.take(), like: frame)
        try black.fill(pool: grounds)
        try prepare(&black)
        try black.withMutablePicture(pool: grounds, draw)
        try white.fill(white: true, pool: grounds)
        try prepare(&white)
        try white.withMutablePicture(pool: grounds, draw)
        try limit(&black, &white)
        let result: VideoFrame
        if frame.orientation == .upright {
            result = try matte(black, white)
        } else {
            result = try matte(try black.turnedUpright(pool: turns), try white.turnedUpright(pool: turns))
        }
        self.black = consume black
        self.white = consume white
        return stamped(result, as: frame)
    }

    /// Returns a fully transparent picture.
    package func emptyPicture(like frame: borrowing VideoFrame) throws -> VideoFrame {
        let isSideways = frame.orientation.quarterTurns % 2 == 1
        let (width, height) = isSideways ? (frame.height, frame.width) : (frame.width, frame.height)
        var picture: VideoFrame
        if let kept = empty.take(), kept.width == width, kept.height == height {
            picture = kept
        } else {
            picture = try self.picture(like: frame) { _ in }
        }
        let shared = try picture.shared()
        empty = consume picture
        return stamped(shared, as: frame)
    }

    /// Returns the background: the kept frame if its size and format match, otherwise a new one.
    private func ground(_ kept: consuming VideoFrame?, like frame: borrowing VideoFrame) throws -> VideoFrame {
        if let kept, kept.geometry == frame.geometry { return kept }
        return try frame.canvas(pool: grounds)
    }

    /// Returns the effects with opacity, from the pictures over black and over white.
    private func matte(_ black: borrowing VideoFrame, _ white: borrowing VideoFrame) throws -> VideoFrame {
        var result = try black.transparentCanvas(pool: results)
        let matting = TriangulationMatting(from: black.pictureFormat, to: result.pictureFormat)
        try result.withTransparentPicture(pool: results) { colours, alpha, stride in
            black.withPicture { black in
                white.withPicture { white in
                    matting.matte(black: black, white: white, colours: &colours, alpha: &alpha, stride: stride)
                }
            }
        }
        return result
    }

    private func stamped(_ picture: consuming VideoFrame, as frame: borrowing VideoFrame) -> VideoFrame {
        var picture = picture
        picture.time = frame.time
        picture.duration = frame.duration
        return picture
    }
}

/// Chooses which empty frames of an overlay are written. Between effects, one empty frame has a longer duration.
///
/// ```
/// effect   ####            ####
/// written  #####........e..####......e     e: every five seconds, and the last of all
/// ```
struct OverlayGaps: ~Copyable {
    /// True if readers expect a frame at each of the video's times.
    let keepsAll: Bool
    /// The number of seconds after which an empty frame is written again, for seeking and for players that wait.
    static let longest = 5.0

    /// The previous frame, if it was held back.
    private var waiting: PipelineFrame?
    /// The time since which nothing has been visible.
    private var emptySince: Double?

    init(keepsAll: Bool) { self.keepsAll = keepsAll }

    /// - Returns: the frame, or `nil` if the previous frame is still shown.
    mutating func keep(_ frame: consuming PipelineFrame) -> PipelineFrame? {
        if keepsAll { return frame }
        waiting = nil
        guard frame.isEmpty else {
            emptySince = nil
            return frame
        }
        if let since = emptySince, frame.time - since < Self.longest, frame.plan.events.isEmpty {
            waiting = consume frame
            return nil
        }
        emptySince = frame.time
        return frame
    }

    /// Returns the last frame, if it was held back. With it, the overlay is as long as its video.
    mutating func finish() -> PipelineFrame? { waiting.take() }
}
