public import Reactions

/// What was seen in one analysed frame or image, and why nothing fired.
public struct FrameInspection: Sendable, Hashable {
    /// Which of several inputs it is, by the path that was given; `nil` if there is but one.
    public var input: String?
    /// The time stamp in seconds; 0 for an image.
    public var time: Double
    /// The hands in the order of their tracks.
    public var hands: [HandInspection]
    /// What the hands say together.
    public var gesture: ReactionGesture?
    /// The reaction that the gesture stands for, whether it fired or not.
    public var reactionType: ReactionType?
    /// Where the gesture stands (`fired`, `held 0.6 of 1.0 s`), or why there is none.
    public var reason: String
}

/// One hand of a frame.
public struct HandInspection: Sendable, Hashable {
    /// 21 points of x, y, z in the order of MediaPipe's hand landmark model: x and y
    /// in 0…1 of the upright picture, z in units of its width, negative toward the camera.
    public var landmarks: [[Double]]
    /// `left` or `right`, as the person sees it.
    public var handedness: String
    /// How sure the model is that there is a hand: 0…1.
    public var presence: Double
    /// What the hand shows by itself; `nil` for nothing.
    public var gesture: HandSign?
    /// How sure the gesture is, or how near the hand came to one: 0…1.
    public var confidence: Double
    /// Why the hand makes no gesture; `nil` where it makes one.
    public var reason: String?
}

extension FrameInspection: Encodable {
    /// The frame as one line of JSON, without a newline.
    public var jsonLine: String { JSONLine.encode(self) }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: FieldName.self)
        try fields.encodeIfPresent(input, forKey: "input")
        try fields.encode(seconds: time, forKey: "time")
        try fields.encode(hands, forKey: "hands")
        try fields.encode(gesture, forKey: "gesture")
        try fields.encode(reactionType, forKey: "reactionType")
        try fields.encode(reason, forKey: "reason")
    }
}

extension HandInspection: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: FieldName.self)
        let points = landmarks.map { $0.map { JSONLine.rounded($0, places: 5) } }
        try fields.encode(points, forKey: "landmarks")
        try fields.encode(handedness, forKey: "handedness")
        try fields.encode(JSONLine.rounded(presence, places: 4), forKey: "presence")
        try fields.encode(gesture, forKey: "gesture")
        try fields.encode(JSONLine.rounded(confidence, places: 4), forKey: "confidence")
        try fields.encodeIfPresent(reason, forKey: "reason")
    }
}
