/// Which of a recording's segments one run looks through, where several runs, on as many machines, share the work.
///
/// It is every so-manieth, so that what takes long, such as minutes full of hands, is shared, too.
package struct ScanShare: Sendable, Hashable {
    /// Which one, from 1 on.
    package let number: Int
    /// How many there are.
    package let count: Int

    private static let mostShares = 1000

    /// - Returns: `nil` for a share that there cannot be.
    package init?(_ number: Int, of count: Int) {
        guard (1...Self.mostShares).contains(count), (1...count).contains(number) else { return nil }
        self.number = number
        self.count = count
    }

    /// Whether a segment belongs to it.
    ///
    /// - Parameter segment: its number, from 0 on.
    func holds(_ segment: Int) -> Bool { segment % count == number - 1 }
}

/// What a quick look through a share of a recording told.
package struct SharedScan: Sendable {
    /// What the whole recording is known by again.
    package var fingerprint: String
    /// What is worth a close look; `nil` where all of the recording is, since a quick look is not enough.
    package var stretches: CloseStretches?
}
