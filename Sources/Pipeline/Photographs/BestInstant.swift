package import MediaIO
import Photography
import Raster
package import Reactions
import Segmentation

/// Chooses an instant of a stretch for a photograph: sharp, with little motion, and with faces where there are any.
package struct BestInstant {
    /// How many instants are looked at closely.
    private static let finalists = 8
    /// Those lie at least this far from each other, in seconds, unless the stretch is too short for that.
    private static let distance = 0.3
    /// A mean change of so many codes of 8 bits from a frame to the next halves the stillness.
    private static let restless = 1.5
    /// How much of the picture around a place must be sharp, as a share of its height, each way.
    private static let reach = 0.2

    /// A frame as far as it was looked at.
    private struct Candidate {
        var time: Double
        var sharpness: Double
        var stillness: Double
    }

    private let origin: PicturePoint?
    private var candidates: [Candidate] = []
    private var means = CellMeans()
    private var last: [Float] = []

    /// - Parameter origin: Where in the upright picture it must be sharp; anywhere if `nil`.
    package init(origin: PicturePoint? = nil) { self.origin = origin }

    /// Takes the stretch's next frame.
    package mutating func look(at frame: borrowing VideoFrame, time: Double) {
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

    /// The best instant of all that were looked at, in seconds.
    ///
    /// - Parameter look: how sharp the faces are at a time, and how many there are; `nil` where there is no frame.
    /// - Returns: `nil` where there was no frame.
    package func choice(
        closely look: (Double) throws -> (sharpness: Double, faces: Int)?
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
        let looks = try finalists.map { try look($0.time) }
        let sharpestFace = looks.compactMap { $0?.sharpness }.max() ?? 0
        for (candidate, seen) in zip(finalists, looks) {
            var points = score(candidate)
            if let seen, seen.faces > 0, sharpestFace > 0 {
                // A face counts for more than the rest of the picture.
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

    /// How sharp the sharpest face in a frame is, and how many there are.
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

    /// How sharp a part of the upright picture is; places are 0…1.
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
