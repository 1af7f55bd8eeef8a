import FoundationEssentials
import Reactions

/// An event as the environment and the standard input of a hook's command.
///
/// The texts of an event come from users and files, and may have any character. None becomes part of a command, and only
/// values of variables hold them.
struct HookVariables {
    /// The event as one line of JSON, without a newline.
    let line: String
    /// All variables of the command, as `NAME=value`.
    let list: [String]

    /// The maximum length of a value in bytes of UTF-8. Linux refuses to start a program with a variable of 128 KiB.
    private static let longestValue = 4096
    /// The fields with an object whose values become variables, such as `FLOURISH_TILE_ID`. The names of the fields in
    /// other objects are the names of effects, which must not name variables.
    private static let objects: Set = ["origin", "tile"]

    /// - Parameters:
    ///   - input: The name of the input; `nil` for none.
    ///   - inherited: The variables of this process, which those of the event replace.
    init(of event: ReactionEvent, input: String?, beside inherited: [String: String]) {
        line = event.jsonLine
        var values: [String: String] = [:]
        if let input { values["FLOURISH_INPUT"] = Self.bounded(input) }
        if case .object(let fields)? = try? JSONDecoder().decode(JSONValue.self, from: Data(line.utf8)) {
            for (name, value) in fields {
                if case .object(let inner) = value, Self.objects.contains(name) {
                    for (part, value) in inner { values[Self.name(name) + Self.words(part)] = Self.text(value) }
                } else {
                    values[Self.name(name)] = Self.text(value)
                }
            }
        }
        list = inherited.merging(values) { $1 }.map { "\($0.key)=\($0.value)" }
    }

    /// `reactionType` → `FLOURISH_REACTION_TYPE`
    private static func name(_ field: String) -> String { "FLOURISH" + words(field) }

    private static func words(_ field: String) -> String {
        "_" + field.map { $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
    }

    /// Returns the value of a variable; `nil` for arrays, objects and null.
    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .flag(let flag): "\(flag)"
        case .integer(let integer): "\(integer)"
        case .number(let number): "\(number)"
        case .text(let text): bounded(text)
        case .null, .array, .object: nil
        }
    }

    /// Returns a text without NUL, which ends a variable, and with the first characters only if it is too long.
    private static func bounded(_ text: String) -> String {
        var result = ""
        var count = 0
        for scalar in text.unicodeScalars where scalar.value != 0 {
            count += UTF8.width(scalar)
            if count > longestValue { break }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
