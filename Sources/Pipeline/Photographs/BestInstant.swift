package import MediaIO
import Photography
import Raster
package import Reactions
import Vision

/// Chooses an instant of an interval for a photograph. Sharp frames with little motion are preferred, and among these
/// the frames with sharp faces.
package struct BestInstant {
    /// The number of the best instants, among which the faces decide.
    private static let bestCandidates = 8
    /// The minimum distance between these instants, in seconds. It is less in a short interval.
    private static let distance = 0.3
    /// The mean change from frame to frame, in codes of 8 bits, at which the stillness is halved.
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
        let distance = min(Self.distance, length / Double(2 * Self.bestCandidates))
        var bestCandidates: [Candidate] = []
        for candidate in candidates.sorted(by: { (score($0), $1.time) > (score($1), $0.time) }) {
            if bestCandidates.count == Self.bestCandidates { break }
            if bestCandidates.allSatisfy({ abs($0.time - candidate.time) >= distance }) {
                bestCandidates.append(candidate)
            }
        }
        var best: (candidate: Candidate, faces: Int?, score: Double)?
        let refined = try bestCandidates.map { try candidate($0.time) }
        let sharpestFace = refined.compactMap { $0?.sharpness }.max() ?? 0
        for (candidate, seen) in zip(bestCandidates, refined) {
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
