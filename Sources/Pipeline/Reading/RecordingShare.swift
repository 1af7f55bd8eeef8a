package import Reactions

/// Which parts of a recording one run works on, where several runs, on as many machines, share the work: which segments
/// it looks through, or which spans it encodes.
///
/// It is every so-manieth, so that what takes long, such as minutes full of hands, is shared, too.
package struct RecordingShare: Sendable, Hashable {
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

    /// Whether a part belongs to it.
    ///
    /// - Parameter part: its number, from 0 on.
    func holds(_ part: Int) -> Bool { part % count == number - 1 }

    /// Refuses files that are not those of all shares, each once.
    ///
    /// - Parameters:
    ///   - files: their names and shares.
    ///   - option: that named them.
    /// - Throws: ``FlourishError/Code/inputUnusable``.
    package static func check(
        _ files: [(name: String, share: RecordingShare)], of option: String
    ) throws(FlourishError) {
        guard let first = files.first else { return }
        var seen: [Int: String] = [:]
        for (name, share) in files {
            guard share.count == first.share.count else {
                throw FlourishError(
                    .inputUnusable,
                    "\(name): is one of \(share.count) shares, and \(first.name) one of \(first.share.count)")
            }
            if let other = seen.updateValue(name, forKey: share.number) {
                throw FlourishError(.inputUnusable, "\(name): is of the same share as \(other)")
            }
        }
        let missing = (1...first.share.count).filter { seen[$0] == nil }.map { "\($0)/\(first.share.count)" }
        guard missing.isEmpty else {
            throw FlourishError(.inputUnusable, "\(option): \(missing.joined(separator: ", ")) missing")
        }
    }
}
