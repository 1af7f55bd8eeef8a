/// Limits that stop what hangs, and nothing that is slow: tests run side by side, and the machine may have other things to do.
package enum Hang {
    /// The minutes after which a test is taken to hang.
    package static let minutes = 60 * Sanitizer.patience
    /// The same in seconds.
    package static let seconds = 60 * minutes

    /// The rounds of a loop that looks for something again after so many milliseconds, until it is taken to hang.
    package static func rounds(milliseconds: Int) -> Range<Int> { 0..<minutes * 60_000 / milliseconds }

    /// Waits while something holds, or until that is taken to hang.
    ///
    /// - Parameter milliseconds: the time between two looks.
    package nonisolated(nonsending) static func wait(
        milliseconds: Int, while holds: nonisolated(nonsending) () async throws -> Bool
    ) async throws {
        for _ in rounds(milliseconds: milliseconds) {
            guard try await holds() else { return }
            try await Task.sleep(for: .milliseconds(milliseconds))
        }
    }
}
