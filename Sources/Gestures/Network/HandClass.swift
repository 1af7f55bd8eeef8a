/// What the classifier tells apart: the gestures, and the hands that are none.
///
/// A network that knows only "none of these" has to draw one border around everything that
/// hands do. Told fists from open hands, it draws many simple ones, and can say for what it
/// took a hand.
package enum HandClass: String, Sendable, Hashable, CaseIterable {
    case thumbsUp, thumbsDown, victory, horns
    case fist, palm, one, twoTogether, three, threeWithThumb, four, ok, iLoveYou, callMe
    case thumbAndIndex, thumbSideways
    /// A victory or horns that do not point up.
    case turned
    /// Half-bent, relaxed, holding something.
    case other

    /// The gesture that the class is; nil for all the others.
    package var gesture: HandGesture? { HandGesture(rawValue: rawValue) }

    /// What people call it, for the reason why there is no gesture.
    var phrase: String {
        switch self {
        case .thumbsUp: "a thumb up"
        case .thumbsDown: "a thumb down"
        case .victory: "the victory sign"
        case .horns: "the sign of the horns"
        case .fist: "a fist"
        case .palm: "an open hand"
        case .one: "one finger"
        case .twoTogether: "two fingers held together"
        case .three: "three fingers"
        case .threeWithThumb: "thumb and two fingers"
        case .four: "four fingers"
        case .ok: "the OK sign"
        case .iLoveYou: "the I-love-you sign"
        case .callMe: "the call-me sign"
        case .thumbAndIndex: "thumb and one finger"
        case .thumbSideways: "a thumb to the side"
        case .turned: "a sign that does not point up"
        case .other: "a relaxed hand"
        }
    }
}
