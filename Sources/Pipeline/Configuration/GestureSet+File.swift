import FoundationEssentials
import Gestures
public import Reactions

extension GestureSet {
    /// Where a user's own gestures are kept: `gestures.json` in
    /// ``Resources/configurationFolder(environment:)``.
    public static func usersPath(
        environment: [String: String] = Resources.currentEnvironment()
    ) -> String {
        Resources.configurationFolder(environment: environment) + "/gestures.json"
    }

    /// The user's own gestures; none where there is no file.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable`` for a damaged file.
    public static func usersOwn(
        environment: [String: String] = Resources.currentEnvironment()
    ) throws(FlourishError) -> GestureSet {
        let path = usersPath(environment: environment)
        return FileManager.default.fileExists(atPath: path) ? try GestureSet(contentsOf: path) : GestureSet()
    }

    private struct File: Codable {
        struct Gesture: Codable {
            var name: String
            var reaction: String
            var hands: Int
            /// Of each hand 21 points: x, y, z in palm lengths from the palm's middle.
            var examples: [[[Double]]]
        }

        var format: Int
        var gestures: [Gesture]
    }

    /// Reads a file.
    ///
    /// - Throws: ``FlourishError/Code/inputUnavailable`` where it cannot be read,
    ///   ``FlourishError/Code/inputUnusable`` where it is damaged.
    public init(contentsOf path: String) throws(FlourishError) {
        let bytes = try NamedFile.read(path, advice: "give a file of gestures that flourish learn wrote")
        let file: File
        do {
            file = try JSONDecoder().decode(File.self, from: Data(bytes))
        } catch {
            throw Self.damaged(path, "it is no file of gestures")
        }
        guard file.format == 1 else { throw Self.damaged(path, "its format is \(file.format), not 1") }
        for gesture in file.gestures {
            let examples = gesture.examples.compactMap { points in
                points.allSatisfy { $0.count == 3 }
                    ? HandExample(points: points.map { SIMD3($0[0], $0[1], $0[2]) }) : nil
            }
            guard !examples.isEmpty, examples.count == gesture.examples.count else {
                throw Self.damaged(path, "an example of \(gesture.name) is no hand")
            }
            guard (1...2).contains(gesture.hands), !gesture.reaction.isEmpty,
                let name = try? checkIsFree(gesture.name)
            else { throw Self.damaged(path, "the gesture \"\(gesture.name)\" makes no sense, or is there twice") }
            try add(
                OwnGesture(
                    gesture: name, reactionType: ReactionType(rawValue: gesture.reaction),
                    handCount: gesture.hands, examples: examples))
        }
    }

    private static func damaged(_ path: String, _ reason: String) -> FlourishError {
        FlourishError(.inputUnusable, "\(path): damaged: \(reason); mend it, or move it away and learn anew")
    }

    /// Writes a file, and its folder where that is not there yet. The old one stays until
    /// the new one is complete.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable``.
    public func write(to path: String) throws(FlourishError) {
        let url = URL(filePath: path)
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(json.utf8).write(to: url, options: .atomic)
        } catch {
            throw FlourishError(
                .outputUnavailable, "\(path): the gestures cannot be written", remedy: .keepingGesturesElsewhere)
        }
    }

    /// One line for each example.
    private var json: String {
        let entries = gestures.map { own in
            let examples = own.examples.map { example in
                let points = example.points.map { "[\($0.x),\($0.y),\($0.z)]" }
                return "      [" + points.joined(separator: ",") + "]"
            }
            return """
                  { "name": "\(own.gesture.rawValue)", "reaction": \(JSONLine.encode(own.reactionType.rawValue)), \
                "hands": \(own.handCount), "examples": [
                \(examples.joined(separator: ",\n"))
                  ] }
                """
        }
        let list = entries.isEmpty ? "[]" : "[\n\(entries.joined(separator: ",\n"))\n]"
        return "{ \"format\": 1, \"gestures\": \(list) }\n"
    }
}
