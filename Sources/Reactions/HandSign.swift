/// What one hand on its own shows.
public struct HandSign: RawRepresentable, Sendable, Hashable, Codable, CaseIterable {
    /// The name of `gesture` in each hand of `inspect --json`.
    public let rawValue: String

    /// The sign with a name: one of ``allCases``, or a gesture of your own.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A thumb up.
    public static let thumbsUp = HandSign(rawValue: "thumbsUp")
    /// A thumb down.
    public static let thumbsDown = HandSign(rawValue: "thumbsDown")
    /// Index and middle finger up and apart.
    public static let victory = HandSign(rawValue: "victory")
    /// Index and little finger up.
    public static let horns = HandSign(rawValue: "horns")

    /// The signs that Flourish knows by itself, in a fixed order.
    public static let allCases: [HandSign] = [.thumbsUp, .thumbsDown, .victory, .horns]
}
