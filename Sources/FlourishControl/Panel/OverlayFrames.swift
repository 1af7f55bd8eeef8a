import Flourish
import NIOCore
import Platform
import Synchronization

/// The frames that one page of the browser source shows: the effects in progress, drawn for the page's size.
///
/// They are sent as records of six numbers of 32 bits, least significant byte first, and pixels. The numbers are the size
/// of the whole picture, and the left, the top, the width and the height of the part that is not empty. The pixels are
/// the rows of that part, as in ``OverlayPainter/Part``. While no effect is in progress, nothing is sent but a record
/// without pixels: at the beginning, after the last effect, and as keep-alive.
struct OverlayFrames: Sendable {
    /// The interval of the frames.
    private static let interval = Duration.seconds(1) / 30
    private static let keepAlive = Duration.seconds(10)
    /// The maximum length of a picture's longer side, in pixels. A larger page enlarges its pictures.
    private static let longestSide = 1280.0
    /// The sizes of pages, in pixels.
    private static let sizes = 1.0...16_384.0

    private let handler: CommandHandler
    private let effects: OverlayEffects
    private let painting: OverlayPainting
    private let width: Double, height: Double

    /// - Parameter query: The page's `width` and `height` in pixels, and in `dim` the share of the dimming to draw.
    /// - Returns: `nil` if a field is missing or out of range.
    init?(_ effects: OverlayEffects, of handler: CommandHandler, _ query: RequestQuery) {
        guard let width = query.number("width"), let height = query.number("height"), let dim = query.number("dim"),
            Self.sizes.contains(width), Self.sizes.contains(height), (0...1).contains(dim)
        else { return nil }
        (self.handler, self.effects, self.width, self.height) = (handler, effects, width, height)
        painting = OverlayPainting(effects, dimming: dim)
    }

    /// Sends the frames until the run has ended, or the client has gone.
    func write(to send: (ByteBuffer) async throws -> Void) async throws {
        var isEmpty = false, sent = ContinuousClock.now
        func show(_ part: OverlayPainter.Part?, _ width: Int, _ height: Int) async throws {
            // A wake is no keep-alive if something was sent shortly before.
            if part == nil, isEmpty, .now - sent < Self.keepAlive / 2 { return }
            try await send(Self.record(of: part, width: width, height: height))
            (isEmpty, sent) = (part == nil, .now)
        }
        let signals = [effects.starts, handler.feed.changes]
        try await WakeSignal.follow(signals, every: TimeAmount(Self.keepAlive)) {
            var next = ContinuousClock.now
            while effects.areInProgress, !handler.feed.isClosed {
                let (width, height) = pictureSize
                try await show(painting.draw(width: width, height: height), width, height)
                next = max(next + Self.interval, .now)
                try await Task.sleep(until: next, clock: .continuous)
            }
            try await show(nil, 0, 0)
            return !handler.feed.isClosed
        }
    }

    /// The size of the pictures: the largest of the video's aspect ratio on the page, within the limit.
    private var pictureSize: (width: Int, height: Int) {
        let ratio = handler.aspectRatio ?? width / height
        let (fittingWidth, fittingHeight) = (min(width, height * ratio), min(height, width / ratio))
        let scale = min(1, Self.longestSide / max(fittingWidth, fittingHeight))
        return (max(Int((fittingWidth * scale).rounded()), 1), max(Int((fittingHeight * scale).rounded()), 1))
    }

    private static func record(of part: OverlayPainter.Part?, width: Int, height: Int) -> ByteBuffer {
        var record = ByteBuffer()
        for number in [width, height, part?.left ?? 0, part?.top ?? 0, part?.width ?? 0, part?.height ?? 0] {
            record.writeInteger(UInt32(number), endianness: .little)
        }
        if let part { record.writeBytes(part.pixels) }
        return record
    }
}

/// The painter of a page, for the present size of its pictures.
private final class OverlayPainting: Sendable {
    private let effects: OverlayEffects
    private let dimming: Double
    private let painter = Mutex<(width: Int, height: Int, painter: OverlayPainter)?>(nil)

    init(_ effects: OverlayEffects, dimming: Double) { (self.effects, self.dimming) = (effects, dimming) }

    /// Returns the part of a picture that is not empty; `nil` if nothing is visible, or effects cannot be drawn.
    func draw(width: Int, height: Int) async -> OverlayPainter.Part? {
        let part = await StageThread.run { [self] () throws(FlourishError) in
            try painter.withLock { painter throws(FlourishError) in
                if painter?.width != width || painter?.height != height {
                    painter = (width, height, effects.painter(width: width, height: height, dimming: dimming))
                }
                return try painter?.painter.draw()
            }
        }
        return try? part.get()
    }
}
