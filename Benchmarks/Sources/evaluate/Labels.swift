import Foundation

/// The labels of pictures and intervals of video: all gestures with a reaction.
enum Gesture: String, Codable, CaseIterable, Sendable {
    case thumbsUp, thumbsDown, victory, horns, heart

    /// The gesture of one hand in a gesture of a whole frame: two thumbs up are thumbs up.
    init?(ofFrame name: String) {
        switch name {
        case "twoThumbsUp": self = .thumbsUp
        case "twoThumbsDown": self = .thumbsDown
        case "twoVictories": self = .victory
        case "twoHorns": self = .horns
        default: self.init(rawValue: name)
        }
    }

    /// The number of hands that must be found for it.
    var hands: Int { self == .heart ? 2 : 1 }

    /// The class of the picture judge, which does not distinguish up from down.
    var judgeClass: String? {
        switch self {
        case .thumbsUp, .thumbsDown: "thumb"
        case .victory: "victory"
        case .horns: "horns"
        case .heart: nil
        }
    }
}

/// The ground truth: the gesture of each folder, and the times of gestures in videos. Read from JSON.
struct Labels: Decodable, Sendable {
    struct Image: Decodable, Sendable {
        /// A folder, relative to the evaluated one.
        var path: String
        /// None if the pictures show no gesture.
        var gesture: Gesture?
        /// The apparent class of the pictures, if it differs: a thumb to the side resembles a thumb.
        var looksLike: String?
    }

    struct Video: Decodable, Sendable {
        /// A file, a folder of files, or a prefix of their names, ending in `*`.
        var path: String
        /// The kind of footage under which its false triggers are counted; none if gestures are held.
        var group: String?
        /// The reason why it is no fair test of a hold; none if it is one.
        var condition: String?
        /// The reason why a hand in it resembles a gesture without being one: a letter of a sign language. Triggers
        /// there count as false, and it is not used for training.
        var ambiguous: String?
        var holds: [Hold]
    }

    /// A held gesture, in seconds of the video.
    struct Hold: Decodable, Sendable {
        var gesture: Gesture
        var start: Double
        var end: Double
        /// True if the hand is moved up and down meanwhile.
        var moves: Bool?

        var length: Double { end - start }
    }

    var images: [Image]
    /// The prefixes of the names of pictures that show little more than the hand.
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

    /// - Throws: ``EvaluationError`` if there is none.
    func video(of path: String) throws -> Video {
        guard let label = video(path) else { throw EvaluationError("\(path) has no label") }
        return label
    }

    func isTightCrop(_ path: String) -> Bool {
        let name = path.split(separator: "/").last ?? ""
        return tightCrops.contains { name.hasPrefix($0) }
    }

    /// Names of files from these collections continue with their source.
    private static let collections: Set = ["f2", "f3", "f4", "f5", "h2", "web"]

    /// Returns the source of a file. The tight crops show one person each; other files are identified by the first
    /// part of the name.
    func source(of path: String) -> String {
        isTightCrop(path) ? path.split(separator: "/").last.map(String.init) ?? path : Self.collection(of: path)
    }

    /// Returns where a file was collected: its source, or that of all tight crops of one data set.
    static func collection(of path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let parts = name.split(separator: "_")
        return parts.prefix(collections.contains(String(parts[0])) ? 2 : 1).joined(separator: "_")
    }

    private func longest<Entry>(
        _ entries: [Entry], _ path: String, _ place: (Entry) -> String
    ) -> Entry? {
        entries.filter { path == place($0) || path.hasPrefix(Self.beginning(place($0))) }
            .max { place($0).count < place($1).count }
    }

    /// Returns the common prefix of the paths of a folder or a name with a `*` at its end.
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
    ///   - every: uses every Nth picture only, for a quick run.
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
