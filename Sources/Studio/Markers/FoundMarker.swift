import Reactions

/// A marker as a file had it.
struct FoundMarker: Sendable, Hashable {
    /// How long it is.
    enum Length: Sendable, Hashable {
        /// It does not say: a mere point.
        case unsaid
        /// As long as the effect by itself.
        case own
        case seconds(Double)
    }

    /// Where it stands in its file, such as `line 12`.
    var place: String
    /// The number of the reaction that it stands for; `nil` for a marker that somebody added.
    var id: Int?
    /// Its name without that number.
    var title: String
    /// Seconds from the recording's first frame.
    var start: Double
    var length = Length.unsaid
    /// Whether its colour, or a column, says that the reaction is shown.
    var isEnabled: Bool?
    /// What a table says in its column for notes; `nil` where a file has no such thing.
    var note: String?

    /// Takes a name such as `thumbsUp #3` apart.
    static func parse(name: some StringProtocol) -> (title: String, id: Int?) {
        let name = name.trimmed
        guard let hash = name.lastIndex(of: "#"), let id = Int(name[hash...].dropFirst()) else {
            return (String(name), nil)
        }
        return (String(name[..<hash].trimmed), id)
    }
}

/// All markers of a file, and how exactly they stand for times.
struct FoundMarkers: Sendable, Hashable {
    var markers: [FoundMarker]
    /// Seconds by which a marker may be off and has still not been moved.
    var tolerance: Double
    /// Whether times are those of the plan, and not of a timeline's frames.
    var isExact = false
    /// What is said of a marker that is not in the recording: what to do, or, with a ``remedy``, how that is known.
    var problem = "move it, or delete it"
    var remedy: FlourishError.Remedy?
}

extension StringProtocol {
    /// Without blanks around.
    var trimmed: SubSequence {
        let blanks: (Character) -> Bool = { $0.isWhitespace }
        guard let first = firstIndex(where: { !blanks($0) }), let last = lastIndex(where: { !blanks($0) }) else {
            return self[startIndex..<startIndex]
        }
        return self[first...last]
    }
}
