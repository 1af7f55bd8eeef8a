/// A line of the journal: what became of one output.
struct JournalRecord: Codable, Sendable, Hashable {
    enum State: String, Codable, Sendable {
        /// The output was finished; it is there if a file of this size has its name.
        case done
        case failed
    }

    /// The output's path from the output folder, as `RawName` writes it.
    var output: String
    var state: State
    /// The recording's path from the root, as `RawName` writes it.
    var source: String
    /// In bytes.
    var size: Int
    /// When the recording was written last, in nanoseconds since 1970.
    var modified: Int64
    /// A hash of the recording's bytes.
    var fingerprint: String
    /// A hash of what was asked for.
    var settings: String
    /// The output's size.
    var bytes: Int?
    /// A hash of the output's bytes, where people edit it.
    var digest: String?
    /// Why it failed.
    var reason: String?
}
