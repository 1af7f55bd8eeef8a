/// Why something could not be done, in one line for the person who asked for it.
public struct FlourishError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of trouble it is. Programs decide by this; the command line
    /// turns it into its exit code.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// What was asked for makes no sense: a bad option, INPUT = OUTPUT.
        case usage
        /// The input is not there or cannot be read.
        case inputUnavailable
        /// The input is not a video, or damaged beyond use.
        case inputUnusable
        /// A codec, a model or a library is missing on this machine.
        case unavailable
        /// The output cannot be created.
        case outputUnavailable
        /// Reading or writing failed midway: the disk is full, say.
        case inputOutput
        /// Whoever read the output through a pipe has gone; nothing is wrong.
        case outputClosed
        /// The run was stopped before there was anything worth keeping.
        case interrupted
        /// Flourish broke a rule of its own.
        case `internal`
    }

    /// The kind of trouble.
    public let code: Code
    /// Names the file, says what is wrong and what to do: one line, no full stop.
    public let message: String

    /// An error with its line for people.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
