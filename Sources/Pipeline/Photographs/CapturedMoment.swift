package import MediaIO
import Photography
import Raster
package import Reactions
import Segmentation

/// The frames around an instant: the frame that a photograph shows, and its neighbours in time.
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

    /// Returns the moment with at most this many frames: undamaged frames of the reference's size and format that are
    /// nearest to it in time.
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

extension CapturedMoment {
    /// Returns the moment with its best instant as the reference, and the reason for the choice.
    ///
    /// - Parameters:
    ///   - start: the time before which frames are no candidates, though they may be fused; in seconds on the frames' clock.
    ///   - origin: the place in the upright picture that must be sharp; anywhere if `nil`.
    package func best(
        from start: Double, near origin: PicturePoint?, _ finder: FaceFinder
    ) -> (CapturedMoment, PhotoChoice?) {
        var best = BestInstant(origin: origin)
        // Frames after the frame in which the gesture fired are no candidates.
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

/// Chooses an instant of an interval for a photograph: sharp, with little motion, and with faces if there are any.
package struct BestInstant {
    /// The number of instants in which faces are detected.
    private static let finalists = 8
    /// The minimum distance between these, in seconds, unless the interval is too short for that.
    private static let distance = 0.3
    /// The mean change from frame to frame, in codes of 8 bits, that halves the stillness.
    private static let restless = 1.5
    /// The distance around a place that must be sharp, as a share of the picture's height.
    private static let reach = 0.2

    /// The measurements of a frame.
    private struct Candidate {
        var time: Double
        var sharpness: Double
        var stillness: Double
    }

    private let origin: PicturePoint?
    private var candidates: [Candidate] = []
    private var means = CellMeans()
    private var last: [Float] = []

    /// - Parameter origin: the place in the upright picture that must be sharp; anywhere if `nil`.
    package init(origin: PicturePoint? = nil) { self.origin = origin }

    /// Measures the interval's next frame.
    package mutating func add(_ frame: borrowing VideoFrame, at time: Double) {
        var sharpness = 0.0
        if let origin {
            let across = Self.reach / frame.geometry.aspectRatio
            sharpness = Self.sharpness(
                of: frame, left: origin.x - across, top: origin.y - Self.reach, right: origin.x + across,
                bottom: origin.y + Self.reach)
        }
        if sharpness == 0 { sharpness = frame.withPicture { SharpnessMeter.sharpness(of: $0) } }
        frame.withPicture { means.read($0) }
        let now = means.luma
        var change: Float = 0
        if last.count == now.count, !now.isEmpty {
            for index in now.indices { change += abs(now[index] - last[index]) }
            change /= Float(now.count)
        }
        last = now
        candidates.append(
            Candidate(time: time, sharpness: sharpness, stillness: Self.restless / (Self.restless + Double(change))))
    }

    /// Returns the best instant of all measured frames, in seconds, and the reason for the choice.
    ///
    /// - Parameter candidate: returns the sharpness of the faces at a time, and their number; `nil` if there is no frame.
    /// - Returns: `nil` if there was no frame.
    package func choice(
        closely candidate: (Double) throws -> (sharpness: Double, faces: Int)?
    ) rethrows -> (time: Double, choice: PhotoChoice)? {
        guard let sharpest = candidates.map(\.sharpness).max() else { return nil }
        func score(_ candidate: Candidate) -> Double {
            candidate.stillness * (sharpest > 0 ? candidate.sharpness / sharpest : 1)
        }
        let length = (candidates.last?.time ?? 0) - (candidates.first?.time ?? 0)
        let distance = min(Self.distance, length / Double(2 * Self.finalists))
        var finalists: [Candidate] = []
        for candidate in candidates.sorted(by: { (score($0), $1.time) > (score($1), $0.time) }) {
            if finalists.count == Self.finalists { break }
            if finalists.allSatisfy({ abs($0.time - candidate.time) >= distance }) { finalists.append(candidate) }
        }
        var best: (candidate: Candidate, faces: Int?, score: Double)?
        let looks = try finalists.map { try candidate($0.time) }
        let sharpestFace = looks.compactMap { $0?.sharpness }.max() ?? 0
        for (candidate, seen) in zip(finalists, looks) {
            var points = score(candidate)
            if let seen, seen.faces > 0, sharpestFace > 0 {
                // A face has more weight than the rest of the picture.
                points *= 1 + Double(seen.faces) * seen.sharpness / sharpestFace
            }
            if points > best?.score ?? -1 { best = (candidate, seen?.faces, points) }
        }
        guard let best else { return nil }
        let choice = PhotoChoice(
            candidates: candidates.count,
            sharpness: sharpest > 0 ? best.candidate.sharpness / sharpest : 1,
            stillness: best.candidate.stillness, faces: best.faces)
        return (best.candidate.time, choice)
    }

    /// Returns the sharpness of the sharpest face in a frame, and the number of faces.
    package static func faces(in frame: borrowing VideoFrame, _ finder: FaceFinder) -> (sharpness: Double, faces: Int) {
        let faces = finder.faces(in: frame)
        var sharpest = 0.0
        for face in faces {
            sharpest = max(
                sharpest,
                sharpness(of: frame, left: face.left, top: face.top, right: face.right, bottom: face.bottom))
        }
        return (sharpest, faces.count)
    }

    /// Returns the sharpness of a part of the upright picture, whose coordinates are 0…1.
    private static func sharpness(
        of frame: borrowing VideoFrame, left: Double, top: Double, right: Double, bottom: Double
    ) -> Double {
        let geometry = frame.geometry
        let corners = [(left, top), (right, bottom)].map { x, y in
            geometry.uprightToStored.apply(
                x: min(max(x, 0), 1) * geometry.uprightWidth, y: min(max(y, 0), 1) * geometry.uprightHeight)
        }
        let (a, b) = (corners[0], corners[1])
        let columns = Int(min(a.x, b.x))..<Int(max(a.x, b.x)) + 1, rows = Int(min(a.y, b.y))..<Int(max(a.y, b.y)) + 1
        return frame.withPicture { SharpnessMeter.sharpness(of: $0, columns: columns, rows: rows) }
    }
}

/// The frames of the last half second. Their pixels are shared, not copied.
///
/// Used under its owner's lock.
struct FrameRing {
    /// The length of time that it covers, in seconds.
    static let length = 0.5
    /// The tolerance for time stamps of whole milliseconds, in seconds.
    static let rounding = 0.0005
    /// The most frames, and the most bytes of pixels: enough for half a second of 1080p at 60 frames per second.
    private static let maximumFrames = 32, maximumBytes = 160 << 20

    private(set) var frames: [SharedPicture] = []

    /// Adds the newest frame, and removes frames that are too old.
    mutating func add(_ picture: SharedPicture) {
        frames.append(picture)
        let newest = picture.frame.time.seconds
        let format = picture.frame.pictureFormat
        let size = max(format.width * format.height * format.bytesPerSample * 3 / 2, 1)
        let maximum = min(Self.maximumFrames, max(Self.maximumBytes / size, 2))
        let old = frames.prefix { newest - $0.frame.time.seconds > Self.length || newest < $0.frame.time.seconds }
        frames.removeFirst(max(min(old.count, frames.count - 1), frames.count - maximum))
    }

    /// Returns all frames. The reference is the frame that was shown at a time, or the newest.
    ///
    /// - Returns: `nil` before the first frame. `isShown` indicates whether the ring still contained the frame of that time.
    func moment(at time: Double?) -> (moment: CapturedMoment, isShown: Bool)? {
        guard !frames.isEmpty else { return nil }
        guard let time else { return (CapturedMoment(frames: frames, reference: frames.count - 1), true) }
        let index = frames.lastIndex { $0.frame.time.seconds <= time + Self.rounding }
        return (CapturedMoment(frames: frames, reference: index ?? 0), index != nil)
    }

    mutating func removeAll() { frames.removeAll() }
}
