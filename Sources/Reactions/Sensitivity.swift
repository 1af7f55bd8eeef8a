/// How readily gestures fire: how sure the recognition must be of a gesture over the time for which it is held.
public enum Sensitivity: String, Sendable, Hashable, Codable, CaseIterable {
    /// Fewer reactions that nobody meant; a gesture that is hard to see may be missed.
    case low
    /// What is built in.
    case normal
    /// Fewer gestures that are missed; more reactions that nobody meant.
    case high
}
