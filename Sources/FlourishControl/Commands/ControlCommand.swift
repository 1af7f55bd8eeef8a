package import Flourish

/// A command of the control protocol.
package enum ControlCommand: Sendable, Hashable {
    /// Shows an effect from the next frame on, or from the first frame at a time.
    case perform(ReactionType, origin: PicturePoint? = nil, time: Double? = nil)
    /// Ends effects with the next frame, or with the first frame at a time.
    case cancel(EffectCancellation.Target, time: Double? = nil)
    /// Changes properties, all at once.
    case set([String: ControlValue])
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
    case done(Result<ControlValue?, ControlError>)
    /// The reply takes a while: it waits for a frame, a file or a photograph.
    case later(@Sendable () async -> Result<ControlValue?, ControlError>)

    /// Executes a command with a closure that throws a refusal.
    init(_ body: () throws(ControlError) -> ControlValue?) {
        self = .done(Result { () throws(ControlError) in try body() })
    }

    /// Waits for the result, if necessary, and returns it.
    package func result() async -> Result<ControlValue?, ControlError> {
        switch self {
        case .done(let result): result
        case .later(let wait): await wait()
        }
    }
}
