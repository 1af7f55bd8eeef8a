import TestSupport

extension ProgramResult {
    /// The line that says what a run came to; nil where none was said.
    var report: String? { errorLines.last(where: Self.isReport) }

    /// What else was said on the standard error.
    var complaints: [String] { errorLines.filter { !Self.isReport($0) } }

    private static func isReport(_ line: String) -> Bool {
        line.hasPrefix("flourish: ") && (line.hasSuffix(" s encoded)") || line.hasSuffix(" encoded again)"))
    }
}
