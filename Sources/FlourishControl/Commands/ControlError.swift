import Flourish
import Platform

/// The reason for a refusal, as a number and a message.
package struct ControlError: Error, Sendable, Hashable {
    /// The kind of refusal. The numbers belong to the protocol: from 100 on for requests that are wrong in any state,
    /// from 200 on for requests that the present state refuses, from 300 on for requests that failed.
    package enum Code: Int, Sendable, CaseIterable {
        case notARequest = 100
        case unknownCommand = 101
        case unknownField = 102
        case missingField = 103
        case invalidValue = 104
        case unknownName = 105
        case readOnly = 200
        case locked = 201
        case notPossible = 202
        case notRunning = 203
        case notObserved = 204
        case failed = 300
        case busy = 301
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    init(_ code: Code, _ error: FlourishError) { self.init(code, error.message) }

    /// Returns the error for an unknown value. The message suggests the most similar known value.
    ///
    /// - Parameter kind: The kind of value, such as `property`.
    static func unknown(_ kind: String, _ name: String, among known: [String]) -> ControlError {
        let nearest = name.nearest(among: known).map { "did you mean \"\($0)\"? " } ?? ""
        return ControlError(
            .unknownName,
            "unknown \(kind) \"\(name.prefix(60))\"; \(nearest)use one of \(known.joined(separator: ", "))")
    }
}
