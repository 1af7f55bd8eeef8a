package import Frames
import MediaIO
import Photography
import Raster
import Reactions
import Segmentation

/// The frames of the last half second. Their pixels are shared, not copied.
///
/// Used under the lock of its owner, ``PhotoCapture``.
package struct FrameRing {
    /// The length of time that the ring covers, in seconds.
    package static let length = 0.5
    /// The tolerance for time stamps of whole milliseconds, in seconds.
    package static let rounding = 0.0005
    /// The maximum number of frames, and of bytes of pixels. They are sufficient for half a second of 1080p at 60
    /// frames per second.
    private static let maximumFrames = 32, maximumBytes = 160 << 20

    private(set) var frames: [SharedPicture] = []

    /// Adds the newest frame, and removes frames that are too old.
    package mutating func add(_ picture: SharedPicture) {
        frames.append(picture)
        let newest = picture.frame.time.seconds
        let format = picture.frame.pictureFormat
        let size = max(format.width * format.height * format.bytesPerSample * 3 / 2, 1)
        let maximum = min(Self.maximumFrames, max(Self.maximumBytes / size, 2))
        let old = frames.prefix { newest - $0.frame.time.seconds > Self.length || newest < $0.frame.time.seconds }
        frames.removeFirst(max(min(old.count, frames.count - 1), frames.count - maximum))
    }

    /// Returns all frames. The reference is the frame that was shown at a time, in seconds, or the oldest frame if that
    /// frame was removed. If the time is `nil`, the reference is the newest frame.
    ///
    /// - Returns: `nil` before the first frame. `isShown` indicates whether the ring still contained the frame of that time.
    package func moment(at time: Double?) -> (moment: CapturedMoment, isShown: Bool)? {
        guard !frames.isEmpty else { return nil }
        guard let time else { return (CapturedMoment(frames: frames, reference: frames.count - 1), true) }
        let index = frames.lastIndex { $0.frame.time.seconds <= time + Self.rounding }
        return (CapturedMoment(frames: frames, reference: index ?? 0), index != nil)
    }

    package mutating func removeAll() { frames.removeAll() }
}
