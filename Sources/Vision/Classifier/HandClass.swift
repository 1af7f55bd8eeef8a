/// The classes that the network distinguishes: the gestures, and hands that make none.
///
/// A single class "none of these" would contain very different poses and be hard to separate. Separate classes, such as
/// fists and open hands, are easier to separate, and name the pose that a hand without a gesture makes.
package enum HandClass: String, Sendable, Hashable, CaseIterable {
    case thumbsUp, thumbsDown, victory, horns
    case fist, palm, one, twoTogether, three, threeWithThumb, four, ok, iLoveYou, callMe
    case thumbAndIndex, thumbSideways
    /// A victory sign or horns that do not point up.
    case turned
    /// A hand that is half-bent, relaxed, or holds something.
    case other

    /// The gesture of the class; nil for all other classes.
    package var gesture: HandGesture? { HandGesture(rawValue: rawValue) }

    /// The class in words, for the reason why a hand makes no gesture.
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

/// The classes of a hand's picture, regardless of its orientation.
package enum HandPictureClass: String, Sendable, Hashable, CaseIterable {
    /// All poses without a meaning: hands of a person who talks, and hands that hold a cup or rest in each other.
    case none
    /// A fist with the thumb out: up, down or to a side.
    case thumb
    case victory, horns

    /// Creates the class of a gesture's picture.
    package init(of gesture: HandGesture) {
        switch gesture {
        case .thumbsUp, .thumbsDown: self = .thumb
        case .victory: self = .victory
        case .horns: self = .horns
        }
    }
}
