@testable import Pipeline
@testable import Platform
@testable import Reactions
@testable import Studio

/// A plan of a recording of 40 s, for tests of its markers, without installed effects.
struct MarkerPlan {
    var plan: ReactionPlan
    var options = MarkerOptions()

    /// - Parameter reactions: as in a plan's file.
    init(_ reactions: String, frameRate: String = "30", start: Double = 0, path: String = "/a/call.mp4") throws {
        let text = """
            {"schema": 1, "mine": 7, "source": {"path": "\(path)", "size": 100, "fingerprint": "murmur3:00", "codec": "h264",
            "width": 64, "height": 48, "frameRate": \(frameRate), "timeBase": "1/30000", "startTime": \(start),
            "duration": 40, "frames": 1200}, "reactions": [\(reactions)]}
            """
        plan = try ReactionPlan(json: Array(text.utf8), name: "p.json")
    }

    /// The default three: one that is shown, one with an end of its own, and a near miss.
    static let three = """
        {"id": 4, "reactionType": "thumbsUp", "startTime": 5.0333333, "startPTS": 151000, "gesture": "thumbsUp", "confidence": 0.9},
        {"id": 2, "reactionType": "confetti", "startTime": 10.01, "endTime": 12.02, "note": "mine", "x": {"y": 1}},
        {"id": 9, "reactionType": "rain", "startTime": 20.2, "enabled": false, "reason": "heldTooBriefly"}
        """

    func text(_ format: MarkerFormat) throws -> String {
        try plan.markers(as: format, options: options, resources: Resources())
    }

    /// Applies markers.
    mutating func apply(_ text: String, _ format: MarkerFormat) throws -> MarkerChanges {
        try plan.apply(
            markers: Array(text.utf8), from: format, name: "m.\(format.rawValue)", options: options,
            resources: Resources())
    }

    /// Writes markers, changes the text, and applies it.
    mutating func edit(_ format: MarkerFormat, _ edits: [(String, String)]) throws -> MarkerChanges {
        var text = try text(format)
        for (old, new) in edits {
            guard let range = text.firstRange(of: old) else {
                throw FlourishError(.internal, "\(old) is not in \(text)")
            }
            text.replaceSubrange(range, with: new)
        }
        return try apply(text, format)
    }

    subscript(id: Int) -> ReactionPlan.Reaction? { plan.reactions.first { $0.id == id } }
}

/// The message of an error, and its code.
func fault(_ body: () throws -> some Any) -> (code: FlourishError.Code?, message: String) {
    do {
        _ = try body()
        return (nil, "nothing is wrong")
    } catch {
        return ((error as? FlourishError)?.code, "\(error)")
    }
}
