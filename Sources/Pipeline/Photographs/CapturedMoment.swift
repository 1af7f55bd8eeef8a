import MediaIO

/// Frames around an instant: the one that a photograph shows, and its neighbours in time.
package struct CapturedMoment: Sendable {
    /// In the order in which they are shown.
    package var frames: [SharedPicture]
    /// Which of them the photograph shows.
    package var reference: Int

    /// - Precondition: `reference` is an index of `frames`.
    package init(frames: [SharedPicture], reference: Int) {
        precondition(frames.indices.contains(reference))
        (self.frames, self.reference) = (frames, reference)
    }

    /// The moment with no more frames than these: those nearest to the one that is shown, of its size and format, and
    /// whole.
    func limited(to count: Int) -> CapturedMoment {
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
