package import Flourish
import Platform

/// A command of the control protocol.
package enum ControlCommand: Sendable, Hashable {
    /// Shows an effect from the next frame on, or from the first frame at a time.
    case perform(ReactionType, origin: PicturePoint? = nil, time: Double? = nil)
    /// Ends effects with the next frame, or with the first frame at a time.
    case cancel(EffectCancellation.Target, time: Double? = nil)
    /// Changes properties, all at once.
    case set([String: JSONValue])
    /// Reads one property, or all properties.
    case get(String?)
    /// Subscribes to the events with these names, or to all if `nil`. The client first receives the present state.
    case observeEvents(Set<String>?)
    /// Subscribes to the changes of a property. The client first receives its value.
    case observe(String)
    /// Ends the subscription to a property, or to events if `nil`.
    case unobserve(String?)
    /// Captures the output's next frame as PNG, into a file or into the reply.
    case snapshot(path: String?)
    /// Captures a photograph of an instant, or of the newest frame if `nil`, into the run's folder for photographs.
    case photo(time: Double?, PhotoQualityPrioritization?)
    /// Returns the version of the program, and the versions of its formats and protocols.
    case version
    /// Executes requests one after the other.
    case batch([ControlRequest], stopsAtRefusal: Bool)
    /// Ends the run as if the input ended at this point.
    case quit

    /// The names of all commands.
    package static let names = [
        "perform", "cancel", "set", "get", "observe", "unobserve", "snapshot", "photo", "version", "batch", "quit",
    ]
    /// The maximum number of requests in a batch.
    package static let maximumInBatch = 64
    /// The names of all events that a client can receive.
    package static let eventNames = ReactionEvent.names + ["propertyChanged", "eventsLost"]
}

/// The result of a command, or the wait for it.
package enum ControlExecution: Sendable {
    /// The command is executed, with the reply's data or the refusal.
    case done(Result<JSONValue?, ControlError>)
    /// The reply takes a while: it waits for a frame, a file or a photograph.
    case later(@Sendable () async -> Result<JSONValue?, ControlError>)

    /// Executes a command with a closure that throws a refusal.
    init(_ body: () throws(ControlError) -> JSONValue?) {
        self = .done(Result { () throws(ControlError) in try body() })
    }

    /// Waits for the result, if necessary, and returns it.
    package func result() async -> Result<JSONValue?, ControlError> {
        switch self {
        case .done(let result): result
        case .later(let wait): await wait()
        }
    }
}

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
