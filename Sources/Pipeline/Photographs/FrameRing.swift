import MediaIO
import Raster

/// The last half second of frames. Pixels are shared with whoever else has them, not copied.
///
/// Used under its owner's lock.
struct FrameRing {
    /// How far it reaches back, in seconds.
    static let length = 0.5
    /// Time stamps may be whole milliseconds.
    static let rounding = 0.0005
    /// How many frames it holds at the most, and how many bytes of pixels: at 60 frames a second it holds half a second of
    /// 1080p.
    private static let mostFrames = 32, mostBytes = 160 << 20

    private(set) var frames: [SharedPicture] = []

    /// Takes the newest frame, and lets go of those that are too old.
    mutating func add(_ picture: SharedPicture) {
        frames.append(picture)
        let newest = picture.frame.time.seconds
        let format = picture.frame.pictureFormat
        let size = max(format.width * format.height * format.bytesPerSample * 3 / 2, 1)
        let most = min(Self.mostFrames, max(Self.mostBytes / size, 2))
        let old = frames.prefix { newest - $0.frame.time.seconds > Self.length || newest < $0.frame.time.seconds }
        frames.removeFirst(max(min(old.count, frames.count - 1), frames.count - most))
    }

    /// The frame that was shown at a time, and all others; the newest where no time is given.
    ///
    /// - Returns: `nil` before the first frame; `isShown` tells whether the ring still had what was shown then.
    func moment(at time: Double?) -> (moment: CapturedMoment, isShown: Bool)? {
        guard !frames.isEmpty else { return nil }
        guard let time else { return (CapturedMoment(frames: frames, reference: frames.count - 1), true) }
        let index = frames.lastIndex { $0.frame.time.seconds <= time + Self.rounding }
        return (CapturedMoment(frames: frames, reference: index ?? 0), index != nil)
    }

    mutating func removeAll() { frames.removeAll() }
}
