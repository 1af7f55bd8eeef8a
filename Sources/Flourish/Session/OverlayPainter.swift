import MediaIO
import Pipeline
package import Platform
import Raster
import Reactions
import Synchronization

/// Draws the effects of a running session on a transparent ground, as an overlay of the run has them, for a page that
/// lays them over a video. People are unknown here, so nothing is behind them.
///
/// Used by one thread at a time.
package final class OverlayPainter {
    /// The part of a picture that is not empty, in pixels.
    package struct Part: Sendable {
        package var left: Int
        package var top: Int
        package var width: Int
        package var height: Int
        /// Rows of red, green, blue and alpha; the colours are not multiplied by alpha.
        package var pixels: [UInt8]
    }

    /// The difference from the time of the newest frame up to which the page's clock runs evenly, in seconds. Frames
    /// of a live video come at irregular intervals.
    private static let largestDrift = 0.1

    private let control: SessionControl
    private let engine: ReactionEngine
    private let picture: VideoStreamInfo
    /// A media time in seconds, and the instant at which it was reached.
    private var clock: (time: Double, instant: ContinuousClock.Instant)?

    fileprivate init(_ engine: ReactionEngine, _ control: SessionControl, width: Int, height: Int) {
        (self.engine, self.control) = (engine, control)
        picture = VideoStreamInfo(width: width, height: height, frameRate: Rational(30, 1))
    }

    /// Draws the effects in progress at the present media time.
    ///
    /// - Returns: `nil` if no effect is visible.
    /// - Throws: ``FlourishError`` if a sprite cannot be drawn, or there is no memory.
    package func draw() throws(FlourishError) -> Part? {
        guard let shown = control.state.withLock({ $0.shown }) else { return nil }
        do {
            return try image(of: shown, at: time(of: shown)).flatMap(Part.init)
        } catch { throw FlourishError(describing: error) }
    }

    /// Returns the picture of effects at a media time, in seconds; `nil` if none is visible.
    func image(of shown: ShownEffects, at time: Double) throws -> RGBAImage? {
        let frame = try VideoFrame(undecoded: picture, time: MediaTime(seconds: time), duration: nil)
        var item = PipelineFrame(frame: frame, id: 0, time: time)
        (item.plan.effects, item.plan.appearance) = (shown.effects, shown.appearance)
        try engine.draw(&item)
        return item.isEmpty ? nil : try item.frame.image()
    }

    /// Returns the present media time. It runs evenly as long as the frames' times agree with it.
    private func time(of shown: ShownEffects) -> Double {
        let now = ContinuousClock.now
        let time = shown.time + (now - shown.instant) / .seconds(1)
        if let clock {
            let even = clock.time + (now - clock.instant) / .seconds(1)
            if abs(even - time) < Self.largestDrift { return even }
        }
        clock = (time, now)
        return time
    }
}

extension OverlayPainter.Part {
    /// Cuts an image to its part that is not empty.
    ///
    /// - Returns: `nil` for an empty image.
    init?(_ image: RGBAImage) {
        func isVisible(_ x: Int, _ y: Int) -> Bool { image.pixels[(y * image.width + x) * 4 + 3] > 0 }
        var (left, right) = (image.width, 0), (top, bottom) = (image.height, 0)
        for y in 0..<image.height {
            guard let first = (0..<image.width).first(where: { isVisible($0, y) }),
                let last = (0..<image.width).last(where: { isVisible($0, y) })
            else { continue }
            (left, right) = (min(left, first), max(right, last + 1))
            (top, bottom) = (min(top, y), y + 1)
        }
        guard top < bottom else { return nil }
        (self.left, self.top, width, height) = (left, top, right - left, bottom - top)
        pixels = []
        pixels.reserveCapacity(width * height * 4)
        for y in top..<bottom {
            let start = (y * image.width + left) * 4
            pixels += image.pixels[start..<start + width * 4]
        }
    }
}

/// The effects of a session, for painters. Their files have been read.
package struct OverlayEffects: Sendable {
    private let session: ReactionSession
    private let catalog: EffectCatalog

    fileprivate init(_ session: ReactionSession) throws(FlourishError) {
        self.session = session
        catalog = try EffectCatalog(resources: session.resources, naming: session.configuration.namedTypes)
    }

    /// True while effects are in progress.
    package var areInProgress: Bool { session.control.state.withLock { $0.shown != nil } }

    /// Wakes when ``areInProgress`` becomes true.
    package var starts: WakeSignal { session.control.effectsShown }

    /// Returns a painter of pictures of a size in pixels.
    ///
    /// - Parameter dimming: The share of the effects' dimming of the room that is drawn, 0…1.
    package func painter(width: Int, height: Int, dimming: Double) -> OverlayPainter {
        var setup = ReactionEngine.Setup(
            catalog: catalog.dimming(by: dimming), configuration: session.configuration, resources: session.resources,
            pool: FramePool())
        (setup.drawing, setup.avoidsFaces) = (.alone, false)
        return OverlayPainter(ReactionEngine(setup), session.control, width: width, height: height)
    }
}

extension ReactionSession {
    /// Reads the effects that the session can show, for drawing them on pictures of their own.
    ///
    /// - Throws: ``FlourishError`` as ``filter(_:to:observer:)`` for the effects' files.
    package func overlayEffects() throws(FlourishError) -> OverlayEffects { try OverlayEffects(self) }
}
