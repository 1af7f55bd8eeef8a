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

/// The result for a picture, with its label.
struct ImageFinding: Sendable {
    /// Relative to the evaluated folder.
    let path: String
    /// The folder of the picture, below `images/`: its kind.
    let kind: String
    let truth: Gesture?
    let isTightCrop: Bool
    let line: FrameLine

    /// All gestures of the picture: a hand of its own counts, even where one hand is no gesture.
    var said: Set<Gesture> {
        if line.gesture == Gesture.heart.rawValue { return [.heart] }
        return Set(line.hands.compactMap(\.gesture))
    }

    /// The single answer for a confusion table: the true one if it is among them.
    var answer: Gesture? {
        if let truth, said.contains(truth) { return truth }
        if said == [.heart] { return .heart }
        return line.hands.filter { $0.gesture != nil }.max { $0.confidence < $1.confidence }?.gesture
    }

    /// True if too few hands were found for the gesture.
    var lacksHands: Bool { line.hands.count < (truth?.hands ?? 1) }

    /// True if a gesture was missed or false.
    var isError: Bool { truth.map { said != [$0] } ?? !said.isEmpty }

    /// The height of the largest hand that was found, as a fraction of the picture's.
    var handHeight: Double? {
        line.hands.map { hand in
            let heights = hand.landmarks.map { $0[1] }
            return (heights.max() ?? 0) - (heights.min() ?? 0)
        }.max()
    }
}

/// Runs detection on all labelled pictures.
struct ImageInspection: Sendable {
    let footage: Footage
    let labels: Labels
    let programs: Programs
    let jobs: Int

    /// Many pictures per run share one load of the models, few enough to distribute the work evenly.
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
