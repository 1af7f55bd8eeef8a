/// What a pretend call shows, as written in a JSON file.
///
///     {
///       "width": 640, "height": 360, "rate": 30, "duration": 4,
///       "scene": { "skin": "tan", "light": 1 },
///       "cues": [ { "time": 1.5, "pose": "victory", "hands": "both", "hold": 1.5 } ]
///     }
///
/// `scene`, and the fields of a cue beyond those four, may be left out; docs/json.md explains all.
package struct PuppetScript: Sendable, Hashable, Codable {
    /// The picture's size in (square) pixels.
    package var width: Int
    package var height: Int
    /// Frames a second.
    package var rate: Double
    /// Seconds.
    package var duration: Double
    package var scene: PuppetScene?
    package var cues: [PuppetCue]

    package init(
        width: Int, height: Int, rate: Double, duration: Double, scene: PuppetScene? = nil,
        cues: [PuppetCue]
    ) {
        self.width = width
        self.height = height
        self.rate = rate
        self.duration = duration
        self.scene = scene
        self.cues = cues
    }

    /// How many frames the call has.
    package var frameCount: Int { Int((duration * rate).rounded()) }
}

/// The room, the light and the person.
package struct PuppetScene: Sendable, Hashable, Codable {
    /// Colours as `#rrggbb`. The wall behind the person.
    package var wall: String?
    /// The jumper.
    package var clothes: String?
    package var hair: String?
    /// `light`, `tan`, `brown`, `dark`, or a colour as `#rrggbb`.
    package var skin: String?
    /// 1 is a well-lit room, 0.5 a dim one.
    package var light: Double?
    /// How strong the picture's grain is, in levels of 255; 6 if left out.
    package var noise: Double?
    /// Changes the grain and the small movements.
    package var seed: UInt32?
    /// Whether a person is drawn; false leaves hands before an empty room.
    package var person: Bool?

    package init(
        wall: String? = nil, clothes: String? = nil, hair: String? = nil, skin: String? = nil,
        light: Double? = nil, noise: Double? = nil, seed: UInt32? = nil, person: Bool? = nil
    ) {
        self.wall = wall
        self.clothes = clothes
        self.hair = hair
        self.skin = skin
        self.light = light
        self.noise = noise
        self.seed = seed
        self.person = person
    }
}

/// One pose of one or both hands.
package struct PuppetCue: Sendable, Hashable, Codable {
    /// Which of the person's hands. In the picture, which is not mirrored, the
    /// right hand is at the left.
    package enum Hands: String, Sendable, Hashable, Codable {
        case left, right, both
    }

    /// The second at which the pose is reached.
    package var time: Double
    package var pose: PuppetPose
    package var hands: Hands
    /// Seconds for which it is held.
    package var hold: Double
    /// The middle of the palm in the picture (0…1), for the left hand or both; the
    /// right hand of a pair is the mirror image. For the heart, the heart's middle.
    package var place: [Double]?
    /// The palm's length over the picture's height; 0.19 if left out.
    package var size: Double?
    /// Degrees by which the hand is turned beyond the pose's own; positive is anticlockwise for
    /// the left hand.
    package var turn: Double?
    /// Degrees of turn about the hand's long axis beyond the pose's own; positive brings the thumb's side nearer.
    package var yaw: Double?
    /// Degrees by which the fingertips tilt toward the camera beyond the pose's own.
    package var pitch: Double?
    /// Seconds the hand takes to come up and to go down; 0.5 if left out.
    package var rise: Double?
    package var fall: Double?
    /// Seconds after which the *right* hand of a pair leaves early.
    package var rightHold: Double?
    /// The reaction that is to follow, where it is not the one that the pose stands for; `none` for none.
    package var expect: String?

    package init(
        time: Double, pose: PuppetPose, hands: Hands, hold: Double, place: [Double]? = nil,
        size: Double? = nil, turn: Double? = nil, yaw: Double? = nil, pitch: Double? = nil,
        rise: Double? = nil, fall: Double? = nil,
        rightHold: Double? = nil, expect: String? = nil
    ) {
        self.time = time
        self.pose = pose
        self.hands = hands
        self.hold = hold
        self.place = place
        self.size = size
        self.turn = turn
        self.yaw = yaw
        self.pitch = pitch
        self.rise = rise
        self.fall = fall
        self.rightHold = rightHold
        self.expect = expect
    }
}
