/// Limits that stop hanging tests, and no slow ones: tests run in parallel, on a machine that may be busy.
package enum Hang {
    /// The minutes after which a test counts as hanging.
    package static let minutes = 40 * Sanitizer.timeoutFactor
    /// The same limit in seconds.
    package static let seconds = 60 * minutes
    /// The limit of a program that a test runs: half of the test's, so that the failure names the program.
    package static let programLimit = Duration.seconds(seconds / 2)

    /// The rounds of a loop that polls at an interval in milliseconds, until the test counts as hanging.
    package static func rounds(milliseconds: Int) -> Range<Int> { 0..<minutes * 60_000 / milliseconds }

    /// Waits while a condition holds, or until the test counts as hanging.
    ///
    /// - Parameter milliseconds: the polling interval.
    package nonisolated(nonsending) static func wait(
        milliseconds: Int, while holds: nonisolated(nonsending) () async throws -> Bool
    ) async throws {
        for _ in rounds(milliseconds: milliseconds) {
            guard try await holds() else { return }
            try await Task.sleep(for: .milliseconds(milliseconds))
        }
    }
}
