/// A published vulnerability of FFmpeg that a recording can reach.
package struct KnownHole: Sendable, Hashable {
    /// The number of the CVE record.
    package let record: String
    /// FFmpeg's name of the decoder.
    package let decoder: String
    /// The first release of each series that is not affected, in ascending order. Later series are not affected
    /// either; earlier series without an entry are.
    let fixes: [[Int]]

    /// Returns whether a release has it.
    func affects(_ release: [Int]) -> Bool {
        guard let newest = fixes.last, release.count >= 2 else { return true }
        let series = Array(release.prefix(2))
        if let fix = fixes.first(where: { $0.prefix(2).elementsEqual(series) }) {
            return (release.count > 2 ? release[2] : 0) < fix[2]
        }
        return series.lexicographicallyPrecedes(newest.prefix(2))
    }
}

/// The vulnerabilities of the FFmpeg in use, by its version.
///
/// A distribution may have fixed one without a new version, so the list can name too many. It is not complete: it has
/// the faults of decoders that were published with the affected versions.
package enum KnownHoles {
    /// The day of the last change.
    package static let date = "2026-11-30"

    static let table = [
        // https://www.cve.org/CVERecord?id=CVE-2026-8461
        KnownHole(record: "CVE-2026-8461", decoder: "magicyuv", fixes: [[7, 1, 5], [8, 0, 3], [8, 1, 2]]),
        // https://www.cve.org/CVERecord?id=CVE-2026-125241: every release through 9.0.2
        KnownHole(record: "CVE-2026-125241", decoder: "flic", fixes: [[9, 0, 3]]),
    ]

    /// Returns the vulnerabilities of a release, such as `5.1.9-0+deb12u1` or `n7.1.5`.
    ///
    /// - Returns: nil if the text is no release, such as the revision of a development version.
    static func of(_ release: String) -> [KnownHole]? {
        let text = release.drop { $0 == "n" }
        let numbers = text.prefix { $0.isNumber || $0 == "." }.split(separator: ".").compactMap { Int($0) }
        guard numbers.count >= 2 else { return nil }
        return table.filter { $0.affects(numbers) }
    }

    /// The vulnerabilities of the FFmpeg in use; nil if its version is unknown.
    package static var inUse: [KnownHole]? { of(MediaLibraries.release) }
}

extension KnownHole {
    /// True if the decoder reads files of unknown origin.
    package var isOnList: Bool { (DecoderList.video + DecoderList.sound).contains(decoder) }
}
