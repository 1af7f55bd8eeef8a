import Foundation

/// What a picture or a stretch of video can show, of all that reactions answer.
enum Gesture: String, Codable, CaseIterable, Sendable {
    case thumbsUp, thumbsDown, victory, horns, heart

    /// The gesture that a gesture of a whole frame is made of: two thumbs up are thumbs up.
    init?(ofFrame name: String) {
        switch name {
        case "twoThumbsUp": self = .thumbsUp
        case "twoThumbsDown": self = .thumbsDown
        case "twoVictories": self = .victory
        case "twoHorns": self = .horns
        default: self.init(rawValue: name)
        }
    }

    /// How many hands must be found for it to be seen.
    var hands: Int { self == .heart ? 2 : 1 }

    /// The class of the judge of pictures, which does not distinguish up from down.
    var look: String? {
        switch self {
        case .thumbsUp, .thumbsDown: "thumb"
        case .victory: "victory"
        case .horns: "horns"
        case .heart: nil
        }
    }
}

/// The truth: which folder shows which gesture, and when videos do. Read from JSON.
struct Labels: Decodable, Sendable {
    struct Image: Decodable, Sendable {
        /// A folder, relative to the evaluated one.
        var path: String
        /// None where the pictures show no gesture.
        var gesture: Gesture?
        /// What the pictures look like where that is not what they show: a thumb to the side looks like a thumb.
        var looksLike: String?
    }

    struct Video: Decodable, Sendable {
        /// A file, a folder of files, or how their names begin, ending in `*`.
        var path: String
        /// The kind of footage that its false triggers are counted under; none where gestures are held.
        var group: String?
        /// What makes it no fair test of a hold; none where it is one.
        var condition: String?
        /// Why a hand in it looks like a gesture, though nobody means one: a letter of a sign language. What fires
        /// there counts as false, and nothing is learned from it.
        var ambiguous: String?
        var holds: [Hold]
    }

    /// A gesture held up, in seconds of the video.
    struct Hold: Decodable, Sendable {
        var gesture: Gesture
        var start: Double
        var end: Double

        var length: Double { end - start }
    }

    var images: [Image]
    /// How the names of pictures begin that show little more than the hand.
    var tightCrops: [String]
    var videos: [Video]

    init(contentsOf file: URL) throws {
        do {
            self = try JSONDecoder().decode(Labels.self, from: Data(contentsOf: file))
        } catch {
            throw EvaluationError("\(file.path) holds no labels: \(error)")
        }
    }

    func image(_ path: String) -> Image? { longest(images, path, \.path) }

    func video(_ path: String) -> Video? { longest(videos, path, \.path) }

    /// - Throws: ``EvaluationError`` where there is none.
    func video(of path: String) throws -> Video {
        guard let label = video(path) else { throw EvaluationError("\(path) has no label") }
        return label
    }

    func isTightCrop(_ path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        return tightCrops.contains { name.hasPrefix($0) }
    }

    private func longest<Entry>(
        _ entries: [Entry], _ path: String, _ place: (Entry) -> String
    ) -> Entry? {
        entries.filter { path == place($0) || path.hasPrefix(Self.beginning(place($0))) }
            .max { place($0).count < place($1).count }
    }

    /// How all paths begin that a folder or a name with a `*` at its end stands for.
    private static func beginning(_ place: String) -> String {
        place.hasSuffix("*") ? String(place.dropLast()) : place + "/"
    }
}

/// The labelled files of a folder, by their paths relative to it, sorted.
struct Footage: Sendable {
    let folder: URL
    let images: [String]
    let videos: [String]

    /// - Parameters:
    ///   - every: takes one picture of each so many, for a quick look.
    init(folder: URL, labels: Labels, every: Int) throws {
        guard let walk = FileManager.default.enumerator(atPath: folder.path) else {
            throw EvaluationError("\(folder.path) cannot be read")
        }
        let paths = walk.compactMap { $0 as? String }.sorted()
        self.folder = folder
        images = paths.filter { Self.isOne(of: ["jpg", "jpeg", "png"], $0) && labels.image($0) != nil }
            .enumerated().filter { $0.offset % every == 0 }.map(\.element)
        videos = paths.filter {
            Self.isOne(of: ["mp4", "mov", "mkv", "webm", "avi", "gif", "3gp"], $0) && labels.video($0) != nil
        }
    }

    func path(of file: String) -> String { folder.appending(path: file).path }

    private static func isOne(of kinds: [String], _ path: String) -> Bool {
        kinds.contains(URL(filePath: path).pathExtension.lowercased())
    }
}
