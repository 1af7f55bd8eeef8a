import MediaIO
import Photography
import Raster
package import Reactions
import Vision

/// The frames around an instant: the frame that a photograph shows, and its neighbours in time, with which it is fused.
package struct CapturedMoment: Sendable {
    /// The frames in display order.
    package var frames: [SharedPicture]
    /// The index of the frame that the photograph shows.
    package var reference: Int

    /// - Precondition: `reference` is an index of `frames`.
    package init(frames: [SharedPicture], reference: Int) {
        precondition(frames.indices.contains(reference))
        (self.frames, self.reference) = (frames, reference)
    }

    /// Returns the moment with at most this many frames. These are the undamaged frames of the reference's size and
    /// format that are nearest to it in time.
    package func limited(to count: Int) -> CapturedMoment {
        let shown = frames[reference]
        let instant = shown.frame.time.seconds
        let others = frames.indices.filter { index in
            index != reference && !frames[index].frame.isDamaged
                && frames[index].frame.pictureFormat == shown.frame.pictureFormat
                && frames[index].frame.orientation == shown.frame.orientation
        }
        let nearest = others.sorted { a, b in
            let (x, y) = (abs(frames[a].frame.time.seconds - instant), abs(frames[b].frame.time.seconds - instant))
            return x == y ? a < b : x < y
        }
        let chosen = ([reference] + nearest.prefix(max(count - 1, 0))).sorted()
        return CapturedMoment(frames: chosen.map { frames[$0] }, reference: chosen.firstIndex(of: reference) ?? 0)
    }
}

extension CapturedMoment {
    /// Returns the moment of a tile's picture, which shares the pixels.
    ///
    /// - Throws: ``FlourishError`` if there is no memory.
    func picture(of tile: LayoutTile) throws(FlourishError) -> CapturedMoment {
        do {
            return CapturedMoment(
                frames: try frames.map { SharedPicture(try $0.frame.picture(of: tile)) }, reference: reference)
        } catch {
            throw FlourishError(describing: error)
        }
    }

    /// Returns the moment with its best instant as the reference, and the reason for the choice.
    ///
    /// - Parameters:
    ///   - start: the time before which frames are no candidates, although they may be fused; in seconds on the frames'
    ///     clock.
    ///   - origin: the place in the upright picture that must be sharp; anywhere if `nil`.
    package func best(
        from start: Double, near origin: PicturePoint?, _ finder: FaceFinder
    ) -> (CapturedMoment, PhotoChoice?) {
        var best = BestInstant(origin: origin)
        // The reference is the frame in which the gesture fired. Later frames are no candidates.
        for picture in frames[...reference] where picture.frame.time.seconds >= start - 0.0005 {
            best.add(picture.frame, at: picture.frame.time.seconds)
        }
        let found = best.choice { time in
            frames.first { $0.frame.time.seconds == time }.map { BestInstant.faces(in: $0.frame, finder) }
        }
        guard let found, let index = frames.firstIndex(where: { $0.frame.time.seconds == found.time }) else {
            return (self, nil)
        }
        return (CapturedMoment(frames: frames, reference: index), found.choice)
    }
}

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
