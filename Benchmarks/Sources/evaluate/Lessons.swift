import Foundation

/// Writes down what the judge of pictures can learn from: which file shows what, when, and whose it is.
///
/// `train` reads it, and looks for the hands itself. Footage of one source is never on both sides of a fold, so that
/// a judge that learned without a fold has seen nobody of it.
struct Lessons {
    /// A stretch of a file and what hands in it show.
    struct Span: Encodable {
        /// `thumb`, `victory`, `horns` or `none`; nothing is learned where it is missing.
        var shows: String?
        /// Whether two hands in it make a heart; where it is missing they make none, if anything is learned.
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
        /// The first that fits a look's time counts.
        var spans: [Span]
    }

    let footage: Footage
    let labels: Labels
    /// Draws the puppet.
    let program: Program
    /// The puppet's scripts.
    let scripts: [URL]
    let jobs: Int

    /// Into how many folds the sources are parted.
    static let folds = 5
    /// Under how many conditions each photo is held.
    private static let looksAtPhoto = 2
    /// Hands of a twentieth of the picture are hardly ever found: nothing can be learned from them.
    private static let conditions = Condition.allCases.filter { $0 != .distant }

    /// The number of the fold in which a file is.
    static func fold(of path: String, _ labels: Labels) -> Int { Int(hash(source(of: path, labels)) % UInt64(folds)) }

    /// The names of files from these go on with their source's.
    private static let collections: Set = ["f2", "h2", "web"]

    /// Where a file comes from. The tight crops show one person each; all else goes by the first part of its name.
    private static func source(of path: String, _ labels: Labels) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if labels.isTightCrop(path) { return name }
        let parts = name.split(separator: "_")
        return parts.prefix(collections.contains(String(parts[0])) ? 2 : 1).joined(separator: "_")
    }

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

    /// Whether a photo is held under the condition of this number: each under two.
    private func isHeld(_ path: String, _ condition: Int) -> Bool {
        let count = Self.conditions.count, first = Int(hash(path) % UInt64(count))
        return (0..<Self.looksAtPhoto).contains { (first + $0 * (count / 2)) % count == condition }
    }

    private func span(of path: String, _ start: Double, _ end: Double) -> Span {
        let label = labels.image(path)
        // A drawn heart is no gesture, but looks like one.
        let drawn = label?.looksLike == Gesture.heart.rawValue
        let isHeart = drawn || label?.gesture == .heart
        let look = drawn ? nil : label?.looksLike
        return Span(
            shows: look ?? (label?.gesture.map(\.look) ?? "none"), isHeart: isHeart ? true : nil,
            source: Self.source(of: path, labels), fold: Self.fold(of: path, labels), start: start,
            end: min(end, Self.longest))
    }

    /// Of videos hands that make a gesture for the eye but not by the label teach nothing.
    private func lesson(of path: String) -> Lesson? {
        guard let label = labels.video(path), label.condition == nil else { return nil }
        let source = Self.source(of: path, labels), fold = Self.fold(of: path, labels)
        func span(_ shows: String?, _ start: Double, _ end: Double) -> Span {
            Span(shows: shows, source: source, fold: fold, start: start, end: end)
        }
        let shown = label.holds.map { span($0.gesture.look, $0.start, $0.end) }
        let rest = label.holds.isEmpty && label.ambiguous == nil ? "none" : nil
        return Lesson(file: footage.path(of: path), kind: "video", spans: shown + [span(rest, 0, Self.longest)])
    }

    /// What the puppet's truth says of a pose that it holds.
    private struct Truth: Decodable {
        struct Cue: Decodable {
            var gesture: String?
            var reached: Double
            var left: Double
        }
        var cues: [Cue]
    }

    /// A drawn hand is a hand, too: the demo shows it.
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
                    shows: cue.gesture == nil ? "none" : gesture?.look, isHeart: gesture == .heart ? true : nil,
                    source: "puppet",
                    fold: Int(hash("puppet") % UInt64(Self.folds)), start: cue.reached, end: cue.left)
            })
    }

    /// Longer than any video, in seconds.
    private static let longest = 1e6
}
