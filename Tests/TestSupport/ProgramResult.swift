package import Foundation

/// The result of a program that ran to its end.
package struct ProgramResult: Sendable {
    /// The command as typed in a shell, for messages.
    package let command: String
    /// The exit code; for a program that a signal ended, 128 + the signal's number,
    /// as a shell reports it.
    package let exitCode: Int32
    /// The signal that ended it, if one did.
    package let signal: Int32?
    /// The bytes of its standard output.
    package let standardOutputData: Data
    /// The text of its standard error.
    package let standardError: String

    /// The text of its standard output.
    package var standardOutput: String { String(decoding: standardOutputData, as: UTF8.self) }

    /// The non-empty lines of standard output.
    package var outputLines: [String] {
        standardOutput.split(whereSeparator: \.isNewline).map(String.init)
    }

    /// The non-empty lines of standard error.
    package var errorLines: [String] {
        standardError.split(whereSeparator: \.isNewline).map(String.init)
    }

    /// Each line of standard output, decoded as a JSON object.
    ///
    /// - Throws: the decoder's error for the first line that is not JSON.
    package func jsonLines() throws -> [[String: JSONValue]] {
        try JSONValue.lines(of: standardOutput)
    }
}
