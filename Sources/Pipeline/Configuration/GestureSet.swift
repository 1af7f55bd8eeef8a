package import Gestures
public import Reactions

/// Gestures of your own, as a file keeps them.
///
/// ```swift
/// var set = try GestureSet.usersOwn()
/// let lesson = try await GestureTeacher().learn(
///     "three", from: ["a.jpg", "b.jpg", "c.jpg"], reactionType: .confetti)
/// try set.add(lesson.gesture)
/// try set.write(to: GestureSet.usersPath())
/// ```
public struct GestureSet: Sendable, Hashable {
    /// In the order in which they were taught.
    public private(set) var gestures: [OwnGesture] = []

    /// No gestures.
    public init() {}

    /// The gesture with a name.
    public subscript(gesture: ReactionGesture) -> OwnGesture? { gestures.first { $0.gesture == gesture } }

    /// Names that signs of one hand have, which no gesture of somebody's own may take.
    private static let taken = Set(ReactionGesture.allCases.map(\.rawValue) + HandSign.allCases.map(\.rawValue))

    /// Refuses a name that cannot be given to a new gesture.
    ///
    /// - Throws: ``FlourishError/Code/usage``.
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
                .usage, "there is a gesture \(name) already; choose another name, or remove it first")
        }
        return gesture
    }

    /// Adds a gesture.
    ///
    /// - Throws: ``FlourishError/Code/usage`` where its name is taken.
    public mutating func add(_ own: OwnGesture) throws(FlourishError) {
        _ = try checkIsFree(own.gesture.rawValue)
        gestures.append(own)
    }

    /// Adds a gesture, in the place of the one with its name if there is one.
    public mutating func replace(_ own: OwnGesture) {
        if let index = gestures.firstIndex(where: { $0.gesture == own.gesture }) {
            gestures[index] = own
        } else {
            gestures.append(own)
        }
    }

    /// Removes a gesture.
    ///
    /// - Throws: ``FlourishError/Code/usage`` where there is none of that name.
    public mutating func remove(_ name: String) throws(FlourishError) {
        guard let index = gestures.firstIndex(where: { $0.gesture.rawValue == name }) else {
            let names = gestures.map(\.gesture.rawValue).joined(separator: ", ")
            throw FlourishError(
                .usage,
                "there is no gesture \(name); " + (names.isEmpty ? "none has been learned" : "there are: \(names)"))
        }
        gestures.remove(at: index)
    }

    /// Checks that every gesture's reaction can be shown.
    /// - Throws: ``FlourishError/Code/usage`` for the first that cannot.
    package func check(_ types: [ReactionType]) throws(FlourishError) {
        for own in gestures where !types.contains(own.reactionType) {
            let known = types.map(\.rawValue).joined(separator: ", ")
            throw FlourishError(
                .usage,
                "your gesture \(own.gesture.rawValue) triggers \(own.reactionType), which is not here; bring the effect back, or remove the gesture (reactions: \(known))"
            )
        }
    }

    /// What the recognition looks for, in order.
    package func learned(_ network: GestureNetwork) -> [LearnedGesture] { gestures.map { $0.learned(network) } }
}
