import FoundationEssentials
import Platform
public import Reactions
package import Vision

/// The custom gestures, as stored in a file. Only ``usersOwn(environment:)``, ``init(contentsOf:)`` and ``write(to:)``
/// access files.
///
/// ```swift
/// var set = try GestureSet.usersOwn()
/// let lesson = try await GestureTeacher().learn(
///     "three", from: ["a.jpg", "b.jpg", "c.jpg"], reactionType: .confetti)
/// try set.add(lesson.gesture)
/// try set.write(to: GestureSet.usersPath())
/// ```
public struct GestureSet: Sendable, Hashable {
    /// The gestures in the order in which they were taught.
    public private(set) var gestures: [OwnGesture] = []

    /// Creates an empty set.
    public init() {}

    /// Returns the gesture with a name.
    public subscript(gesture: ReactionGesture) -> OwnGesture? { gestures.first { $0.gesture == gesture } }

    /// The names of built-in gestures and signs, which custom gestures must not have.
    private static let taken = Set(ReactionGesture.allCases.map(\.rawValue) + HandSign.allCases.map(\.rawValue))

    /// Checks that a new gesture can have a name, and returns the gesture's identifier.
    ///
    /// - Throws: ``FlourishError/Code/usage`` if it cannot.
    public func checkIsFree(_ name: String) throws(FlourishError) -> ReactionGesture {
        guard let gesture = ReactionGesture(rawValue: name) else {
            throw FlourishError(
                .usage, "\"\(name)\" cannot name a gesture; use letters, digits, - and _, and a letter first")
        }
        if Self.taken.contains(name) {
            throw FlourishError(.usage, "\(name) is a built-in gesture; choose another name")
        }
        if self[gesture] != nil {
            throw FlourishError(
                .usage, "the gesture \(name) exists already; choose another name, or remove the gesture")
        }
        return gesture
    }

    /// Adds a gesture.
    ///
    /// - Throws: ``FlourishError/Code/usage`` if its name is taken.
    public mutating func add(_ own: OwnGesture) throws(FlourishError) {
        _ = try checkIsFree(own.gesture.rawValue)
        gestures.append(own)
    }

    /// Adds a gesture, or replaces the gesture with its name.
    public mutating func replace(_ own: OwnGesture) {
        if let index = gestures.firstIndex(where: { $0.gesture == own.gesture }) {
            gestures[index] = own
        } else {
            gestures.append(own)
        }
    }

    /// Removes a gesture.
    ///
    /// - Throws: ``FlourishError/Code/usage`` if there is no gesture with that name.
    public mutating func remove(_ name: String) throws(FlourishError) {
        guard let index = gestures.firstIndex(where: { $0.gesture.rawValue == name }) else {
            let names = gestures.map(\.gesture.rawValue)
            let known = "\(name.suggestion(among: names))there are: \(names.joined(separator: ", "))"
            throw FlourishError(
                .usage, "there is no gesture \(name); \(names.isEmpty ? "no gesture has been learned" : known)")
        }
        gestures.remove(at: index)
    }

    /// Checks that every gesture's reaction is one of these types.
    ///
    /// - Throws: ``FlourishError/Code/usage`` for the first gesture whose reaction is a different type.
    package func check(_ types: [ReactionType]) throws(FlourishError) {
        for own in gestures where !types.contains(own.reactionType) {
            let known = types.map(\.rawValue).joined(separator: ", ")
            throw FlourishError(
                .usage,
                "the gesture \(own.gesture.rawValue) triggers \(own.reactionType), which is not installed; restore the effect, or remove the gesture (reactions: \(known))"
            )
        }
    }

    /// Returns the gestures in the form that the classifier uses, in order.
    package func learned(_ network: GestureNetwork) -> [LearnedGesture] { gestures.map { $0.learned(network) } }
}

extension GestureSet {
    /// Returns the path of the custom gestures: `gestures.json` in ``Resources/configurationFolder(environment:)``.
    public static func usersPath(
        environment: [String: String] = Resources.currentEnvironment()
    ) -> String {
        Resources.configurationFolder(environment: environment) + "/gestures.json"
    }

    /// Returns the custom gestures; none if there is no file.
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
            /// The 21 points of each hand: x, y, z in palm lengths from the palm's centre.
            var examples: [[[Double]]]
        }

        var format: Int
        var gestures: [Gesture]
    }

    /// Reads a file.
    ///
    /// - Throws: ``FlourishError/Code/inputUnavailable`` if it cannot be read, ``FlourishError/Code/inputUnusable`` if it is
    ///   damaged.
    public init(contentsOf path: String) throws(FlourishError) {
        let bytes = try NamedFile.read(path, advice: "name a file that flourish learn wrote")
        let file: File
        do {
            file = try JSONDecoder().decode(File.self, from: Data(bytes))
        } catch {
            throw Self.damaged(path, "it is not a file of gestures")
        }
        guard file.format == 1 else { throw Self.damaged(path, "its format is \(file.format), not 1") }
        for gesture in file.gestures {
            let examples = gesture.examples.compactMap { points in
                points.allSatisfy { $0.count == 3 }
                    ? HandExample(points: points.map { SIMD3($0[0], $0[1], $0[2]) }) : nil
            }
            guard !examples.isEmpty, examples.count == gesture.examples.count else {
                throw Self.damaged(path, "an example of \(gesture.name) is not a hand")
            }
            guard (1...2).contains(gesture.hands), !gesture.reaction.isEmpty,
                let name = try? checkIsFree(gesture.name)
            else { throw Self.damaged(path, "the gesture \"\(gesture.name)\" is invalid or a duplicate") }
            try add(
                OwnGesture(
                    gesture: name, reactionType: ReactionType(rawValue: gesture.reaction),
                    handCount: gesture.hands, examples: examples))
        }
    }

    private static func damaged(_ path: String, _ reason: String) -> FlourishError {
        FlourishError(
            .inputUnusable, "\(path): damaged: \(reason); correct it, or rename it and learn the gestures again")
    }

    /// Writes a file, and creates its folder if needed. An existing file is kept until the new one is complete.
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

    /// The file's contents, with one line for each example.
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

/// A gesture that the user taught, and the reaction that it triggers.
public struct OwnGesture: Sendable, Hashable {
    /// The gesture's name in events.
    public let gesture: ReactionGesture
    /// The reaction that the gesture triggers.
    public let reactionType: ReactionType
    /// The number of hands that make the gesture, both alike: 1 or 2.
    public let handCount: Int
    /// The hands from which the gesture was learned.
    package let examples: [HandExample]

    /// The number of hands from which the gesture was learned.
    public var exampleCount: Int { examples.count }

    package init(gesture: ReactionGesture, reactionType: ReactionType, handCount: Int, examples: [HandExample]) {
        self.gesture = gesture
        self.reactionType = reactionType
        self.handCount = handCount
        self.examples = examples
    }

    /// Returns the gesture in the form that the classifier uses.
    package func learned(_ network: GestureNetwork) -> LearnedGesture {
        LearnedGesture(
            gesture: .learned(gesture, hands: handCount), examples: examples, network: network)
    }
}

extension Configuration {
    /// Returns the configuration of the state machine that counts holds.
    ///
    /// - Parameter learned: the user's own gestures.
    package func rules(learned: [FrameGesture]) -> GestureStateMachine.Configuration {
        var rules = GestureStateMachine.Configuration(hold: hold, cooldown: cooldown)
        rules.learned = learned
        // For `Scripts/evaluate --movement`.
        let numbers = ProcessInfo.processInfo.environment["FLOURISH_MOVEMENT"]
        rules.movement = numbers.flatMap { .init($0) } ?? rules.movement
        rules.sensitivity = sensitivity
        rules.speechPolicy = speechPolicy
        for gesture in FrameGesture.allCases + learned { rules.sensitivities[gesture] = sensitivities[gesture.name] }
        return rules
    }
}
