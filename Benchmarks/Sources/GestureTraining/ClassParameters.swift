import Puppet
package import Vision

// All class-specific parameters of training: a new gesture adds its lines here and nowhere else in this target.

extension HandClass {
    /// The class of the hand upside down; nil for hands that are not turned that way.
    var upsideDown: HandClass? {
        switch self {
        case .thumbsUp: .thumbsDown
        case .thumbsDown: .thumbsUp
        case .thumbSideways: .thumbSideways
        default: nil
        }
    }

    /// The rotation in the picture that turns the hand into another class, and its probability; nil if there is none.
    var turn: (probability: Double, degrees: ClosedRange<Double>, handClass: HandClass)? {
        switch self {
        case .thumbsUp, .thumbsDown: (0.15, 65...115, .thumbSideways)
        case .victory, .horns: (0.12, 80...180, .turned)
        default: nil
        }
    }
}

extension HandPictureClass {
    /// The classes that match the landmarks of a hand with this picture.
    var handClasses: [HandClass] {
        switch self {
        case .none: []
        case .thumb: [.thumbsUp, .thumbsDown, .thumbSideways]
        case .victory: [.victory, .turned]
        case .horns: [.horns, .turned]
        }
    }

    /// The default of ``PictureTrainer/Options/shares``.
    package static let shares: [HandPictureClass: [PictureLesson.Kind: Double]] = [
        .none: [.photo: 2.5, .video: 6, .clip: 2.5], .thumb: [.photo: 0.8, .video: 1.5, .clip: 2.5],
        .victory: [.photo: 0.8, .video: 0.7, .clip: 2.5], .horns: [.photo: 0.6, .clip: 2],
    ]
}

// The labels of the tables.
extension LandmarkTables {
    static let photographed: [String: HandClass] = [
        "like": .thumbsUp, "dislike": .thumbsDown, "peace": .victory, "peace_inverted": .victory,
        "rock": .horns, "call": .callMe, "fist": .fist, "four": .four, "mute": .one, "one": .one,
        "ok": .ok, "palm": .palm, "stop": .palm, "stop_inverted": .palm, "three": .three,
        "three2": .threeWithThumb, "two_up": .twoTogether, "two_up_inverted": .twoTogether,
    ]
    static let normalised: [String: HandClass] = [
        "thumbs_up": .thumbsUp, "thumbs_down": .thumbsDown, "victory": .victory, "palm": .palm,
        "fist": .fist, "one": .one,
    ]
    /// The labels of the tables, without "none" and hands around a cup: some of these hands resemble gestures, which
    /// reduces the network's accuracy.
    static let named: [String: HandClass] = [
        "close": .fist, "open": .palm, "pointer": .one, "ok": .ok, "okay": .ok, "fist": .fist,
        "punch": .fist, "palm": .palm, "hello": .palm, "hii": .palm, "one": .one, "1": .one,
        "massive_l": .thumbAndIndex, "four": .four, "rock_on": .iLoveYou, "love": .iLoveYou, "peace": .victory,
        "thumbs_up": .thumbsUp,
        "thumbs_down": .thumbsDown,
    ]
}

extension PuppetHands {
    static let fingersUp: Set<HandClass> = [
        .victory, .horns, .palm, .one, .twoTogether, .three, .threeWithThumb, .four, .iLoveYou,
    ]

    mutating func bearing(of handClass: HandClass) -> (yaw: Double, pitch: Double, roll: Double) {
        func degrees(_ bearing: HandBearing) -> (yaw: Double, pitch: Double, roll: Double) {
            (Double(bearing.yaw), Double(bearing.pitch), Double(bearing.roll))
        }
        switch handClass {
        case .thumbsUp: return degrees(PuppetPose.thumbUp.bearing)
        case .thumbsDown: return degrees(PuppetPose.thumbDown.bearing)
        case .thumbSideways: return (random.uniform(-25, 25), random.uniform(-15, 15), random.uniform(-25, 20))
        case .turned:
            let side = random.uniform() < 0.5 ? 1.0 : -1
            return (random.uniform(-20, 20), random.uniform(-15, 15), side * random.uniform(80, 180))
        case .other, .fist, .callMe:
            return (random.uniform(-60, 60), random.uniform(-30, 30), random.uniform(-180, 180))
        default: return (random.uniform(-20, 20), random.uniform(-20, 20), 0)
        }
    }

    mutating func shape(of handClass: HandClass) -> PuppetHandShape {
        switch handClass {
        case .thumbsUp, .thumbsDown, .thumbSideways: return hand(.raised, "0000")
        case .fist: return hand(random.uniform() < 0.7 ? .acrossFist : .folded, "0000")
        case .victory: return hand(folded(), "1100", spread: random.uniform(0.16, 0.36))
        case .twoTogether: return hand(folded(), "1100", spread: random.uniform(-0.12, 0.0))
        case .threeWithThumb: return hand(.out, "1100", spread: random.uniform(0, 0.3))
        case .horns: return hand(.acrossFist, "1001")
        case .iLoveYou: return hand(.out, "1001")
        case .palm: return hand(.out, "1111")
        case .four: return hand(.folded, "1111")
        case .three: return hand(folded(), random.uniform() < 0.7 ? "1110" : "0111")
        // Any finger alone, and the middle one often enough to be learned.
        case .one: return hand(folded(), ["1000", "1000", "1000", "0100", "0100", "0010"][random.index(6)])
        case .thumbAndIndex: return hand(.out, "1000")
        case .callMe: return hand(random.uniform() < 0.7 ? .raised : .out, "0001")
        case .ok:
            return PuppetPose.ok.shape.blended(to: hand(.out, "1111"), Float(random.uniform(0, 0.15)))
        case .turned: return hand(.acrossFist, random.uniform() < 0.7 ? "1100" : "1001", spread: 0.2)
        case .other: return relaxed()
        }
    }
}
