/// Reactions that show words.
extension ReactionType {
    private static let textPrefix = "text:"

    /// The maximum number of characters of the words, as a reader counts them.
    package static let greatestTextLength = 60

    /// Returns the type that shows words in a bubble beside the hand. No file is needed for it.
    ///
    /// ```swift
    /// configuration.scheduledReactions = [ScheduledReaction(.text("Well done"), at: 12)]
    /// ```
    ///
    /// - Parameter words: At most 60 characters, without control characters. Longer words are refused when the run
    ///   starts.
    public static func text(_ words: String) -> ReactionType { ReactionType(rawValue: textPrefix + words) }

    /// The words that the type shows; `nil` for all other types.
    ///
    /// ```swift
    /// print(ReactionType.text("Well done").text ?? "none")  // Well done
    /// ```
    public var text: String? {
        rawValue.hasPrefix(Self.textPrefix) ? String(rawValue.dropFirst(Self.textPrefix.count)) : nil
    }
}
