/// The time for which videos show hands: talking heads alone are a weak test of false triggers.
extension VideoInspection {
    /// A line of `flourish inspect --json`: one detection.
    private struct Detection: Decodable {
        struct Hand: Decodable {}
        var time: Double
        var hands: [Hand]
    }

    /// Returns the seconds of each video without held gestures in which hands are seen, by its path: from each
    /// detection of `flourish inspect` with a hand to the next one, or to the video's end.
    func secondsWithHands(in videos: [VideoFinding]) throws -> [String: Double] {
        let empty = videos.filter(\.isEmpty)
        let seconds = try inParallel(empty, jobs: jobs) { video in
            let detections = try programs[video.path].lines(
                ["inspect", "--json", "--", footage.path(of: video.path)], as: Detection.self)
            let ends = detections.dropFirst().map(\.time) + [video.seconds]
            return zip(detections, ends).reduce(0.0) { sum, detection in
                detection.0.hands.isEmpty ? sum : sum + max(0, detection.1 - detection.0.time)
            }
        }
        return Dictionary(uniqueKeysWithValues: zip(empty.map(\.path), seconds))
    }
}
