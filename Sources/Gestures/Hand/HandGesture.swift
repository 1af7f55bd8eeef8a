/// What one hand shows.
///
/// The raw values are those of the `gesture` field of a hand in `inspect --json`.
package enum HandGesture: String, Sendable, Hashable, CaseIterable {
    /// A fist with the thumb pointing to the picture's top.
    case thumbsUp
    /// A fist with the thumb pointing to the picture's bottom.
    case thumbsDown
    /// Index and middle finger up and apart, palm or back of the hand to the camera.
    case victory
    /// Index and little finger up, the two between them and the thumb folded.
    case horns
}
