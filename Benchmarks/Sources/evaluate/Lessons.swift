import Foundation

/// Writes the training data of the picture judge: the label, times and source of each file.
///
/// `train` reads it, and detects the hands itself. Footage of one source is never on both sides of a fold, so that a
/// judge trained without a fold has seen none of its people.
struct Lessons {
    /// An interval of a file and the label of hands in it.
    struct Span: Encodable {
        /// `thumb`, `victory`, `horns` or `none`; unlabelled intervals are not used.
        var shows: String?
        /// A value that indicates whether two hands in it make a heart; if it is missing they make none, in labelled
        /// intervals.
        var isHeart: Bool?
        var source: String
        var fold: Int
        var start: Double
        var end: Double
    }

    struct Lesson: Encodable {
        var file: String
        /// `photo`, `video`, or `clip`: a photo in hard light.
        var kind: String
        /// The first one that contains a detection's time counts.
        var spans: [Span]
    }

    let footage: Footage
    let labels: Labels
    /// Draws the puppet.
    let program: Program
    /// The puppet's scripts.
    let scripts: [URL]
    let jobs: Int

    /// The number of folds.
    static let folds = 5
    /// The number of conditions for each photo.
    private static let conditionsPerPhoto = 2
    /// Hands of a twentieth of the picture are hardly ever found: they are useless for training.
    private static let conditions = Condition.allCases.filter { $0 != .distant }

    /// Returns the number of a file's fold.
    static func fold(of path: String, _ labels: Labels) -> Int { Int(hash(labels.source(of: path)) % UInt64(folds)) }

    /// Makes the clips and writes `lessons.jsonl` into a folder.
    func write(to folder: URL, scratch: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let photos = footage.images.filter { labels.image($0)?.gesture != .heart }
        let hearts = footage.images.filter { labels.image($0)?.gesture == .heart }
        let held = HeldPictures(footage: footage, labels: labels)
        var clips = Self.conditions.enumerated().flatMap { index, condition in
            held.clips(of: photos.filter { isHeld($0, index) }, under: condition)
        }
        // There are few: each is held under all conditions.
        clips += Self.conditions.flatMap { held.clips(of: hearts, under: $0, prefix: "heart-") }
        let files = try inParallel(clips, jobs: jobs) { clip in
            let file = folder.appending(path: clip.name + ".mp4")
            if !FileManager.default.fileExists(atPath: file.path) {
                let part = folder.appending(path: clip.name + ".part.mp4")
                try held.write(clip, to: part, scratch: scratch)
                try FileManager.default.moveItem(at: part, to: file)
            }
            return file.path
        }
        var lessons = (photos + hearts).map {
            Lesson(file: footage.path(of: $0), kind: "photo", spans: [span(of: $0, 0, .infinity)])
        }
        lessons += zip(files, clips).map { file, clip in
            Lesson(file: file, kind: "clip", spans: clip.parts.map { span(of: $0.path, $0.start, $0.end) })
        }
        lessons += footage.videos.compactMap(lesson)
        lessons += try scripts.map { try puppetLesson(of: $0, in: folder) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .throw
        let lines = try lessons.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: folder.appending(path: "lessons.jsonl"))
    }

    /// Returns whether a photo is held under the condition of this number: each under two.
    private func isHeld(_ path: String, _ condition: Int) -> Bool {
        let count = Self.conditions.count, first = Int(hash(path) % UInt64(count))
        return (0..<Self.conditionsPerPhoto).contains { (first + $0 * (count / 2)) % count == condition }
    }

    private func span(of path: String, _ start: Double, _ end: Double) -> Span {
        let label = labels.image(path)
        // A drawn heart is no gesture, but resembles one.
        let drawn = label?.looksLike == Gesture.heart.rawValue
        let isHeart = drawn || label?.gesture == .heart
        let judgeClass = drawn ? nil : label?.looksLike
        return Span(
            shows: judgeClass ?? (label?.gesture.map(\.judgeClass) ?? "none"), isHeart: isHeart ? true : nil,
            source: labels.source(of: path), fold: Self.fold(of: path, labels), start: start,
            end: min(end, Self.longest))
    }

    /// In videos, hands that resemble a gesture without a label are not used.
    private func lesson(of path: String) -> Lesson? {
        guard let label = labels.video(path), label.condition == nil else { return nil }
        let source = labels.source(of: path), fold = Self.fold(of: path, labels)
        func span(_ shows: String?, _ start: Double, _ end: Double) -> Span {
            Span(shows: shows, source: source, fold: fold, start: start, end: end)
        }
        let shown = label.holds.map { span($0.gesture.judgeClass, $0.start, $0.end) }
        let rest = label.holds.isEmpty && label.ambiguous == nil ? "none" : nil
        return Lesson(file: footage.path(of: path), kind: "video", spans: shown + [span(rest, 0, Self.longest)])
    }

    /// The puppet's ground truth for a pose that it holds.
    private struct Truth: Decodable {
        struct Cue: Decodable {
            var gesture: String?
            var reached: Double
            var left: Double
        }
        var cues: [Cue]
    }

    /// A drawn hand is a hand: the demo shows it.
    private func puppetLesson(of script: URL, in folder: URL) throws -> Lesson {
        let clip = folder.appending(path: "puppet-" + script.deletingPathExtension().lastPathComponent + ".mp4")
        let truth = clip.deletingPathExtension().appendingPathExtension("json")
        _ = try program.output(["puppet", script.path, clip.path, "--truth", truth.path, "--overwrite", "--quiet"])
        let cues = try JSONDecoder().decode(Truth.self, from: Data(contentsOf: truth)).cues
        return Lesson(
            file: clip.path, kind: "clip",
            spans: cues.map { cue in
                let gesture = cue.gesture.flatMap(Gesture.init(ofFrame:))
                return Span(
                    shows: cue.gesture == nil ? "none" : gesture?.judgeClass, isHeart: gesture == .heart ? true : nil,
                    source: "puppet",
                    fold: Int(hash("puppet") % UInt64(Self.folds)), start: cue.reached, end: cue.left)
            })
    }

    /// Longer than any video, in seconds.
    private static let longest = 1e6
}
