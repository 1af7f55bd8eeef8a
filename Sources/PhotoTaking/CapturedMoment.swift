package import Frames
import MediaIO
import Photography
import Raster
package import Reactions
import Segmentation
import SessionSettings

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
