import MediaIO
import Photography
import Raster
package import Reactions

extension CapturedMoment {
    /// The moment with its best instant as the one that is shown, and why.
    ///
    /// - Parameters:
    ///   - start: Frames before it are no candidates, though they may be fused; in seconds on the frames' clock.
    ///   - origin: Where in the upright picture it must be sharp; anywhere if `nil`.
    package func best(
        from start: Double, near origin: PicturePoint?, _ finder: FaceFinder
    ) -> (CapturedMoment, PhotoChoice?) {
        var best = BestInstant(origin: origin)
        // What comes after the frame that fired is another matter.
        for picture in frames[...reference] where picture.frame.time.seconds >= start - 0.0005 {
            best.look(at: picture.frame, time: picture.frame.time.seconds)
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
