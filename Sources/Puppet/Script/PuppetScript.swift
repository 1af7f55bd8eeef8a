internal import FoundationEssentials

/// The contents of a synthetic call, as written in a JSON file.
///
///     {
///       "width": 640, "height": 360, "rate": 30, "duration": 4,
///       "scene": { "skin": "tan", "light": 1 },
///       "cues": [ { "time": 1.5, "pose": "victory", "hands": "both", "hold": 1.5 } ]
///     }
///
/// `scene` and the other fields of a cue are optional; docs/puppet.md explains all fields.
package struct PuppetScript: Sendable, Hashable, Codable {
    /// The picture's size in (square) pixels.
    package var width: Int
    package var height: Int
    /// The frame rate in frames a second.
    package var rate: Double
    /// The duration in seconds.
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

    /// The number of frames.
    package var frameCount: Int { Int((duration * rate).rounded()) }
}

/// The room, the light and the person.
package struct PuppetScene: Sendable, Hashable, Codable {
    /// The colour of the wall behind the person, as `#rrggbb`. All fields have defaults if omitted.
    package var wall: String?
    /// The colour of the jumper, as `#rrggbb`.
    package var clothes: String?
    /// The colour of the hair, as `#rrggbb`.
    package var hair: String?
    /// `light`, `tan`, `brown`, `dark`, or a colour as `#rrggbb`.
    package var skin: String?
    /// The light: 1 is a well-lit room, 0.5 a dim one.
    package var light: Double?
    /// The strength of the picture's grain, in levels of 255; 6 if omitted.
    package var noise: Double?
    /// The seed of the grain and of the small movements.
    package var seed: UInt32?
    /// True if a person is drawn; false shows hands in front of an empty room.
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
    /// The person's hands in the cue. In the picture, which is not mirrored, the right hand is at the left.
    package enum Hands: String, Sendable, Hashable, Codable {
        case left, right, both
    }

    /// The time in seconds at which the pose is reached.
    package var time: Double
    package var pose: PuppetPose
    package var hands: Hands
    /// The seconds for which the pose is held.
    package var hold: Double
    /// The middle of the palm in the picture (0…1), for the left hand or for both hands. The right hand of a pair is
    /// the mirror image. For a heart, this is the middle of the heart.
    package var place: [Double]?
    /// The palm's length relative to the picture's height; 0.19 if omitted.
    package var size: Double?
    /// The additional rotation of the hand in degrees; positive is anticlockwise for the left hand.
    package var turn: Double?
    /// The additional rotation about the hand's long axis in degrees; positive brings the thumb's side nearer.
    package var yaw: Double?
    /// The additional tilt of the fingertips toward the camera in degrees.
    package var pitch: Double?
    /// The seconds in which the hand is raised and lowered; 0.5 if omitted.
    package var rise: Double?
    package var fall: Double?
    /// The seconds after which the *right* hand of a pair leaves; ``hold`` if omitted.
    package var rightHold: Double?
    /// The expected reaction if it differs from the pose's own; `none` for no reaction.
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

extension PuppetScript {
    /// Reads a script from a JSON file.
    /// - Throws: ``PuppetError`` of the codes `unreadableScript` and `invalidScript`, with a message that names the
    ///   file and the field.
    package init(path: String) throws(PuppetError) { self = try Self.decode(PuppetScript.self, from: path) }

    /// Decodes a value from a JSON file.
    static func decode<Value: Decodable>(_ type: Value.Type, from path: String) throws(PuppetError) -> Value {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw PuppetError(.unreadableScript, "\(path): the script cannot be read")
        }
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError {
            throw PuppetError(.invalidScript, "\(path): \(Self.explanation(of: error))")
        } catch {
            throw PuppetError(.invalidScript, "\(path): not a script in JSON")
        }
    }

    private static func explanation(of error: DecodingError) -> String {
        func place(_ context: DecodingError.Context) -> String {
            let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
            return path.isEmpty ? "the script" : path.joined(separator: ".")
        }
        switch error {
        case .keyNotFound(let key, let context): return "\(place(context)) lacks '\(key.stringValue)'"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return "\(place(context)) has a value of the wrong kind"
        case .dataCorrupted(let context):
            return context.codingPath.isEmpty
                ? "not valid JSON" : "\(place(context)) has an unknown value"
        @unknown default: return "not a script in JSON"
        }
    }
}

/// An error of a script or of rendering it.
package struct PuppetError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: String, Sendable, Hashable {
        /// The script does not exist or may not be read.
        case unreadableScript
        /// The script is not JSON, lacks a field, or requests something that cannot be drawn.
        case invalidScript
        /// The film or its truth cannot be written.
        case unwritableFilm
    }

    package let code: Code
    /// One line for the author of the script.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}

extension PuppetScript {
    /// Validates every number that drawing relies on.
    func validate() throws(PuppetError) {
        try require(
            width >= 32 && height >= 32 && width <= 8192 && height <= 8192,
            "the puppet's picture must be 32…8192 pixels wide and high, not \(width)×\(height)")
        try require(rate > 0 && rate <= 240, "the puppet's rate must be above 0 and at most 240, not \(rate)")
        try require(
            duration > 0 && duration <= 3600,
            "the puppet's duration must be above 0 and at most 3600 s, not \(duration)")
        try checkScene()
        for cue in cues {
            try require(
                cue.time.isFinite && cue.hold >= 0 && cue.hold.isFinite && cue.riseTime > 0
                    && cue.fallTime > 0,
                "cue '\(cue.pose.rawValue)' at \(cue.time) s: times must be positive")
            try require(
                cue.pose != .heart || cue.hands == .both,
                "cue 'heart' at \(cue.time) s: a heart requires both hands")
            try require(
                cue.place?.count ?? 2 == 2, "cue '\(cue.pose.rawValue)' at \(cue.time) s: place must be [x, y]")
            let size = cue.size ?? PuppetCue.usualSize
            try require(
                size > 0.01 && size < 1, "cue '\(cue.pose.rawValue)' at \(cue.time) s: size must be between 0.01 and 1"
            )
            try require(
                (cue.place ?? []).allSatisfy { abs($0) <= 10 },
                "cue '\(cue.pose.rawValue)' at \(cue.time) s: place must be between -10 and 10")
            try require(
                [cue.turn, cue.yaw, cue.pitch].compactMap(\.self).allSatisfy { abs($0) <= 3600 },
                "cue '\(cue.pose.rawValue)' at \(cue.time) s: turn, yaw and pitch must be between -3600 and 3600")
        }
    }

    private func require(_ condition: Bool, _ message: String) throws(PuppetError) {
        if !condition { throw PuppetError(.invalidScript, message) }
    }

    private func checkScene() throws(PuppetError) {
        let (light, noise) = (scene?.light ?? 1, scene?.noise ?? 0)
        try require((0...10).contains(light), "scene: light must be between 0 and 10, not \(light)")
        try require((0...255).contains(noise), "scene: noise must be between 0 and 255, not \(noise)")
    }
}
