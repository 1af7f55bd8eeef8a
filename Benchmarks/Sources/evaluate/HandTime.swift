/// For how long videos show hands: talking heads alone say little about false triggers.
extension VideoInspection {
    /// A line of `flourish inspect --json`: one look.
    private struct Look: Decodable {
        struct Hand: Decodable {}
        var time: Double
        var hands: [Hand]
    }

    /// The seconds of each video without held gestures in which hands are seen, by its path: from each look of
    /// `flourish inspect` that shows a hand to the next look, or to the video's end.
    func secondsWithHands(in videos: [VideoFinding]) throws -> [String: Double] {
        let empty = videos.filter(\.isEmpty)
        let seconds = try inParallel(empty, jobs: jobs) { video in
            let looks = try programs[video.path].lines(
                ["inspect", "--json", "--", footage.path(of: video.path)], as: Look.self)
            let ends = looks.dropFirst().map(\.time) + [video.seconds]
            return zip(looks, ends).reduce(0.0) { sum, look in
                look.0.hands.isEmpty ? sum : sum + max(0, look.1 - look.0.time)
            }
        }
        return Dictionary(uniqueKeysWithValues: zip(empty.map(\.path), seconds))
    }
}
