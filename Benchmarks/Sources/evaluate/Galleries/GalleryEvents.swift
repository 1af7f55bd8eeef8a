import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The events of one run of `flourish detect`, as far as galleries are concerned.
struct GalleryEvents: Sendable {
    /// A tile in fractions of the upright picture.
    struct Tile: Codable, Sendable {
        var id: Int
        var x: Double
        var y: Double
        var width: Double
        var height: Double

        init(_ tile: GalleryTruth.Tile, of truth: GalleryTruth) {
            id = tile.id
            x = Double(tile.x) / Double(truth.width)
            y = Double(tile.y) / Double(truth.height)
            width = Double(tile.width) / Double(truth.width)
            height = Double(tile.height) / Double(truth.height)
        }

        /// Intersection over union.
        func overlap(with other: Tile) -> Double {
            let across = min(x + width, other.x + other.width) - max(x, other.x)
            let down = min(y + height, other.y + other.height) - max(y, other.y)
            guard across > 0, down > 0 else { return 0 }
            return across * down / (width * height + other.width * other.height - across * down)
        }

        func contains(_ place: Place) -> Bool {
            (x...x + width).contains(place.x) && (y...y + height).contains(place.y)
        }
    }

    struct Place: Decodable, Sendable {
        var x: Double
        var y: Double
    }

    struct Line: Decodable, Sendable {
        var event: String
        var time: Double
        var gesture: String?
        var heldSince: Double?
        var origin: Place?
        var tile: Tile?
        var tiles: [Tile]?

        /// Returns whether a change only moves sides of the tiles of the change before it.
        func isCorrection(of other: Line) -> Bool {
            guard let tiles, let before = other.tiles, !tiles.isEmpty, tiles.count == before.count else { return false }
            return tiles.allSatisfy { tile in
                before.contains { $0.id == tile.id && $0.overlap(with: tile) >= 0.8 }
            }
        }
    }

    private let lines: [Line]
    /// CPU seconds of the run.
    let cpu: Double

    /// Runs the program over a video.
    init(of video: URL, program: String, scratch: URL) throws {
        let output = scratch.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: output) }
        cpu = try Self.run(
            [program, "detect", video.path, "--hold", "\(Report.defaultHold)", "--quiet"], output: output.path)
        let decoder = JSONDecoder()
        lines = try Data(contentsOf: output).split(separator: UInt8(ascii: "\n")).map {
            try decoder.decode(Line.self, from: Data($0))
        }
    }

    /// The held gestures that were recognised.
    var gestures: [Line] { lines.filter { $0.event == "gesture" } }

    /// Changes of the layout.
    var changes: [Line] { lines.filter { $0.event == "layoutChanged" } }

    /// The layout at a time; empty for a single picture.
    func tiles(at time: Double) -> [Tile] {
        let tiles = changes.last { $0.time <= time }?.tiles ?? []
        return tiles.count > 1 ? tiles : []
    }

    /// Runs a program to its end and returns its CPU seconds.
    private static func run(_ arguments: [String], output: String) throws -> Double {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t? = nil
        #else
        var actions = unsafe posix_spawn_file_actions_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        unsafe words.append(nil)
        defer { unsafe words.forEach { unsafe free($0) } }
        var child: pid_t = 0
        guard unsafe posix_spawn(&child, arguments[0], &actions, nil, words, environ) == 0 else {
            throw EvaluationError("\(arguments[0]) does not start")
        }
        var status: Int32 = 0
        var usage = rusage()
        while unsafe wait4(child, &status, 0, &usage) < 0 {
            guard errno == EINTR else { throw EvaluationError("cannot wait for \(arguments[0])") }
        }
        guard status == 0 else {
            throw EvaluationError("status \(status) from: \(arguments.joined(separator: " "))")
        }
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}

extension GalleryTruth.Gesture {
    /// The gesture's name in events.
    var eventName: String {
        switch label {
        case "thumbs_up": "thumbsUp"
        case "thumbs_down": "thumbsDown"
        default: label
        }
    }

    /// True if an event is this gesture.
    ///
    /// - Parameters:
    ///   - start: the second of the composite that the event's time 0 is.
    func matches(_ event: GalleryEvents.Line, from start: Double = 0) -> Bool {
        // Labels are made by eye.
        let tolerance = 0.5
        return Gesture(ofFrame: event.gesture ?? "")?.rawValue == eventName
            && start + (event.heldSince ?? event.time) >= from - tolerance && start + event.time <= until + tolerance
    }
}
