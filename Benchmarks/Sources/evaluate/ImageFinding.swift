/// One line of `flourish inspect --json`.
struct FrameLine: Decodable, Sendable {
    struct Hand: Decodable, Sendable {
        var landmarks: [[Double]]
        var gesture: Gesture?
        var confidence: Double
        var reason: String?
    }

    var input: String?
    var time: Double
    var hands: [Hand]
    var gesture: String?
    var reason: String
}

/// What was said of a picture, beside what it shows.
struct ImageFinding: Sendable {
    /// Relative to the evaluated folder.
    let path: String
    /// The folder of the picture, below `images/`: what kind of picture it is.
    let kind: String
    let truth: Gesture?
    let isTightCrop: Bool
    let line: FrameLine

    /// All that was seen in it: a hand of its own counts, even where one hand means nothing.
    var said: Set<Gesture> {
        if line.gesture == Gesture.heart.rawValue { return [.heart] }
        return Set(line.hands.compactMap(\.gesture))
    }

    /// The one answer for a table of confusions: the true one if it was among them.
    var answer: Gesture? {
        if let truth, said.contains(truth) { return truth }
        if said == [.heart] { return .heart }
        return line.hands.filter { $0.gesture != nil }.max { $0.confidence < $1.confidence }?.gesture
    }

    /// Whether too few hands were found for the gesture to be seen.
    var lacksHands: Bool { line.hands.count < (truth?.hands ?? 1) }

    /// Whether a gesture was missed, or one was seen that is not there.
    var isError: Bool { truth.map { said != [$0] } ?? !said.isEmpty }

    /// The height of the largest hand that was found, as a fraction of the picture's.
    var handHeight: Double? {
        line.hands.map { hand in
            let heights = hand.landmarks.map { $0[1] }
            return (heights.max() ?? 0) - (heights.min() ?? 0)
        }.max()
    }
}

/// Looks at all labelled pictures.
struct ImageInspection: Sendable {
    let footage: Footage
    let labels: Labels
    let programs: Programs
    let jobs: Int

    /// Many pictures a run share one load of the models, few enough to share the work evenly.
    private static let batchSize = 48

    func findings() throws -> [ImageFinding] {
        let batches = programs.batches(of: footage.images, size: Self.batchSize)
        return try inParallel(batches, jobs: jobs, inspect).flatMap { $0 }.sorted { $0.path < $1.path }
    }

    private func inspect(_ files: [String]) throws -> [ImageFinding] {
        let lines = try programs[files[0]].lines(
            ["inspect", "--json", "--"] + files.map(footage.path), as: FrameLine.self)
        guard lines.count == files.count else {
            throw EvaluationError("\(lines.count) answers to \(files.count) pictures")
        }
        return zip(files, lines).map { file, line in
            ImageFinding(
                path: file, kind: kind(of: file), truth: labels.image(file)?.gesture,
                isTightCrop: labels.isTightCrop(file), line: line)
        }
    }

    private func kind(of path: String) -> String {
        var folders = path.split(separator: "/").dropLast()
        if folders.first == "images" { folders = folders.dropFirst() }
        return folders.joined(separator: "/")
    }
}
