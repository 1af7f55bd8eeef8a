import TestSupport

extension ProgramResult {
    /// The run's report line; nil if none was printed.
    var report: String? { errorLines.last(where: Self.isReport) }

    /// All other lines on the standard error.
    var complaints: [String] { errorLines.filter { !Self.isReport($0) } }

    private static func isReport(_ line: String) -> Bool {
        line.hasPrefix("flourish: ") && (line.hasSuffix(" s encoded)") || line.hasSuffix(" re-encoded)"))
    }
}
