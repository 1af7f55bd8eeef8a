import MediaIO
import Photography
import Pipeline
import Raster

/// Chooses an instant of a stretch for a photograph: sharp, with little motion, and with faces where there are any.
struct BestInstant {
    /// How many instants are looked at closely.
    private static let finalists = 8
    /// Those lie at least this far from each other, in seconds.
    private static let distance = 0.3
    /// A mean change of so many codes of 8 bits from a frame to the next halves the stillness.
    private static let restless = 1.5

    /// A frame as far as it was looked at.
    private struct Candidate {
        var time: Double
        var sharpness: Double
        var stillness: Double
    }

    private var candidates: [Candidate] = []
    private var means = CellMeans()
    private var last: [Float] = []

    /// Takes the stretch's next frame.
    mutating func look(at frame: borrowing VideoFrame, time: Double) {
        let sharpness = frame.withPicture { SharpnessMeter.sharpness(of: $0) }
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
    /// - Parameter faces: finds the parts of the stored luma plane in which faces are, and the frame at a time.
    /// - Returns: `nil` where there was no frame.
    func choice(
        closely look: (Double) throws -> (sharpness: Double, faces: Int?)?
    ) rethrows -> (time: Double, choice: PhotoChoice)? {
        guard let sharpest = candidates.map(\.sharpness).max() else { return nil }
        func score(_ candidate: Candidate) -> Double {
            candidate.stillness * (sharpest > 0 ? candidate.sharpness / sharpest : 1)
        }
        var finalists: [Candidate] = []
        for candidate in candidates.sorted(by: { (score($0), $1.time) > (score($1), $0.time) }) {
            if finalists.count == Self.finalists { break }
            if finalists.allSatisfy({ abs($0.time - candidate.time) >= Self.distance }) { finalists.append(candidate) }
        }
        var best: (candidate: Candidate, faces: Int?, score: Double)?
        let looks = try finalists.map { try look($0.time) }
        let sharpestFace = looks.compactMap { $0?.sharpness }.max() ?? 0
        for (candidate, seen) in zip(finalists, looks) {
            var points = score(candidate)
            if let seen, (seen.faces ?? 0) > 0, sharpestFace > 0 {
                // A face counts for more than the rest of the picture.
                points *= 1 + Double(seen.faces ?? 0) * seen.sharpness / sharpestFace
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
}
