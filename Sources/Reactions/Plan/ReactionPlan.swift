import FoundationEssentials
import Platform

/// The reactions to show over a recording, and their times. ``ReactionSession/plan(_:observer:)`` makes it, people and
/// programs edit it, and ``ReactionSession/render(_:from:to:observer:)`` renders it.
///
/// ```swift
/// var plan = try await ReactionSession().plan("call.mp4")
/// plan.reactions[0].isEnabled = false
/// plan.reactions.append(.init(.confetti, at: 12.5))
/// try await ReactionSession().render(plan, from: "call.mp4", to: "reacted.mp4")
/// ```
///
/// `docs/plan.md` specifies the JSON form. Unknown fields are kept when a plan is read and written again.
public struct ReactionPlan: Sendable, Hashable {
    /// The version of the JSON contract. A breaking change raises it.
    public static let schema = 1

    /// The recording that the plan was made for, and the only one that it can be rendered with.
    public var source: Source
    /// The style of the reactions.
    public var style: Style
    /// The reactions, including disabled ones, such as gestures that almost fired. In any order.
    public var reactions: [Reaction]
    /// The tiles of a gallery recording over time; empty for a single picture.
    public var layouts = LayoutTimeline()
    /// Reactions of gestures whose hold was nearly complete, to which the encoder adapts in advance.
    package var anticipations: [Anticipation] = []
    /// The plan's name in messages: its path, if it was read from a file.
    package var name = "the plan"
    package var unknown: [String: JSONValue] = [:]

    /// Creates a plan for a recording, without reactions by default.
    public init(source: Source, style: Style = Style(), reactions: [Reaction] = []) {
        self.source = source
        self.style = style
        self.reactions = reactions
    }
}

extension ReactionPlan {
    /// A reaction, enabled or disabled.
    ///
    /// ```swift
    /// var fireworks = ReactionPlan.Reaction(.fireworks, at: 61.5, origin: PicturePoint(x: 0.5, y: 0.3))
    /// fireworks.endTime = 65
    /// plan.reactions.append(fireworks)
    /// ```
    public struct Reaction: Sendable, Hashable {
        /// The reaction's number, unique in a plan; reactions that were added may have none.
        public var id: Int?
        /// True if it is shown.
        public var isEnabled = true
        /// The type of the reaction. If it starts while a reaction of the same type runs, it extends that reaction with
        /// another burst.
        public var reactionType: ReactionType
        /// The start in seconds on the recording's clock. The reaction starts with the first frame at or after this
        /// time.
        public var startTime: Double
        /// The start in ticks of ``ReactionPlan/Source/timeBase``. If it disagrees with ``startTime``, ``startTime``
        /// counts.
        public var startPTS: Int64?
        /// The end in seconds on the recording's clock; after the effect's own duration if `nil`.
        public var endTime: Double?
        /// The place where the effect starts; a place that keeps faces free if `nil`.
        public var origin: PicturePoint?
        /// The number of the tile in which the reaction is shown. If `nil`, the tile that contains ``origin``, or the
        /// whole picture if there is no origin.
        public var tile: Int?
        /// True if the reaction covers the whole picture even if ``origin`` is in a tile; `null` for `tile` in JSON.
        public var coversPicture = false
        /// The cause of its start.
        public var trigger = ReactionEvent.Trigger.schedule
        /// The gesture that triggers it, if any.
        public var gesture: ReactionGesture?
        /// The number of hands that made the gesture: 1 or 2.
        public var handCount: Int?
        /// The confidence of the gesture's recognition, 0…1.
        public var confidence: Double?
        /// The time at which the gesture's hold began, in seconds.
        public var heldSince: Double?
        /// The time of the last detection of a gesture that did not fire, in seconds.
        public var heldUntil: Double?
        /// The reason why the gesture did not fire.
        public var reason: ReactionEvent.CandidateReason?
        /// The seed of the effect's random choices, together with ``ReactionPlan/Style/seed``. Derived from type and
        /// start if `nil`.
        public var seed: Int?
        /// A comment for people, which Flourish keeps.
        public var note: String?
        package var unknown: [String: JSONValue] = [:]

        /// Creates a reaction at a time in seconds.
        public init(_ reactionType: ReactionType, at startTime: Double, origin: PicturePoint? = nil) {
            self.reactionType = reactionType
            self.startTime = startTime
            self.origin = origin
        }
    }

    /// The style of a plan's reactions.
    ///
    /// ```swift
    /// plan.style.look = ReactionStyle(intensity: 0.6)
    /// plan.style.seed = 7
    /// ```
    public struct Style: Sendable, Hashable {
        /// The intensity, calmness and colours.
        public var look = ReactionStyle()
        /// The seed of all random choices of the effects.
        public var seed: UInt64 = 1
        /// The strength of Portrait, 0…1; that of the configuration if `nil`.
        public var portrait: Double?
        /// The strength of Studio Light, 0…1; that of the configuration if `nil`.
        public var studioLight: Double?
        /// The hashes of the descriptions and sprites of the custom effects that the plan shows, by type.
        public var effects: [String: String] = [:]
        package var unknown: [String: JSONValue] = [:]

        /// Creates the default style.
        public init() {}
    }

    /// The recording that a plan was made for.
    ///
    /// ```swift
    /// print(plan.source.path, plan.source.codec, "\(plan.source.width)×\(plan.source.height)")
    /// plan.reactions.removeAll { $0.startTime > plan.source.endTime - 1 }
    /// ```
    public struct Source: Sendable, Hashable {
        /// The path when the plan was made; the file may have moved since.
        public var path: String
        /// The size in bytes.
        public var size: Int
        /// A hash of all packets of the video, with their time stamps, such as `murmur3:…`.
        public var fingerprint: String
        /// FFmpeg's name of the video's codec, such as `h264`.
        public var codec: String
        /// The upright picture's width in pixels.
        public var width: Int
        /// The upright picture's height in pixels.
        public var height: Int
        /// The nominal frame rate in frames a second; `nil` if the recording does not declare one.
        public var frameRate: Double?
        /// The length of a tick of time stamps in seconds, as a fraction such as `1/15360`.
        public var timeBase: String
        /// The first frame's time stamp in seconds.
        public var startTime: Double
        /// The seconds from the first frame to the end of the last one.
        public var duration: Double
        /// The number of frames.
        public var frames: Int
        package var unknown: [String: JSONValue] = [:]

        package init(
            path: String, size: Int, fingerprint: String, codec: String, width: Int, height: Int,
            frameRate: Double? = nil, timeBase: String, startTime: Double, duration: Double, frames: Int,
            unknown: [String: JSONValue] = [:]
        ) {
            self.path = path
            self.size = size
            self.fingerprint = fingerprint
            self.codec = codec
            self.width = width
            self.height = height
            self.frameRate = frameRate
            self.timeBase = timeBase
            self.startTime = startTime
            self.duration = duration
            self.frames = frames
            self.unknown = unknown
        }

        /// The time at which the last frame ends, in seconds.
        public var endTime: Double { startTime + duration }
    }

    /// An interval during which the encoder expects a reaction whose gesture is being held.
    package struct Anticipation: Sendable, Hashable, Codable {
        /// The time of the interval's first frame, in seconds.
        package var from: Double
        /// The time of the first frame after the interval, in seconds.
        package var until: Double
        package var reactionType: ReactionType
        /// The expected start of the reaction, in seconds.
        package var startTime: Double

        package init(from: Double, until: Double, reactionType: ReactionType, startTime: Double) {
            self.from = from
            self.until = until
            self.reactionType = reactionType
            self.startTime = startTime
        }
    }
}

extension ReactionPlan {
    /// Rejects an inconsistent plan: times beyond the recording, places beyond the picture, duplicate numbers. Sessions
    /// validate plans themselves, and also reject unknown types.
    ///
    /// ```swift
    /// plan.reactions[0].startTime += 0.5
    /// try plan.validate()
    /// ```
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable`` with the place of the first error.
    public func validate() throws(FlourishError) {
        if let fault = layouts.fault { throw FlourishError(.inputUnusable, "\(name): layouts: \(fault)") }
        var known: [Int: Int] = [:]
        for (index, reaction) in reactions.enumerated() {
            if let id = reaction.id, let first = known.updateValue(index, forKey: id) {
                throw fault(index, "id", "reactions[\(first)] has the same id, \(id); omit it for a new reaction")
            }
            if reaction.isEnabled { try check(reaction, index) }
        }
    }

    private func check(_ reaction: Reaction, _ index: Int) throws(FlourishError) {
        let (start, end) = (reaction.startTime, source.endTime)
        let interval = "from \(Self.seconds(source.startTime)) to \(Self.seconds(end)) s"
        // Plans contain times rounded to a microsecond.
        guard start >= source.startTime - 0.000_001, start < end else {
            throw fault(index, "startTime", "\(Self.seconds(start)) s is outside the video, \(interval)")
        }
        if let stop = reaction.endTime {
            guard stop > start else {
                throw fault(
                    index, "endTime", "\(Self.seconds(stop)) s is not after the start, \(Self.seconds(start)) s")
            }
            guard stop <= end + 0.001 else {
                throw fault(index, "endTime", "\(Self.seconds(stop)) s is outside the video, \(interval)")
            }
        }
        if let tile = reaction.tile, tile < 1 { throw fault(index, "tile", "numbers of tiles count from 1") }
        if let origin = reaction.origin, !(0...1).contains(origin.x) || !(0...1).contains(origin.y) {
            throw fault(index, "origin", "positions are fractions of the picture, 0…1, not \(origin.x), \(origin.y)")
        }
    }

    /// Formats a time for messages, to a millisecond.
    package static func seconds(_ time: Double) -> String { JSONLine.rounded(time, places: 3).plainText }

    /// Returns the error for a field of a reaction.
    package func fault(_ index: Int, _ key: String, _ message: String) -> FlourishError {
        FlourishError(.inputUnusable, "\(name): reactions[\(index)].\(key): \(message)")
    }
}

extension ReactionPlan {
    private static let advice = "give a plan from flourish plan"

    /// Reads a plan.
    ///
    /// ```swift
    /// let plan = try ReactionPlan(contentsOf: "call.plan.json")
    /// print(plan.reactions.count { $0.isEnabled })
    /// ```
    ///
    /// - Parameter path: The path of a file; `-` is the standard input.
    /// - Throws: ``FlourishError/Code/inputUnavailable`` if the file cannot be read,
    ///   ``FlourishError/Code/inputUnusable`` with the place of the first error if the file contains no valid plan.
    public init(contentsOf path: String) throws(FlourishError) {
        let name = path == "-" ? "the standard input" : path
        guard path == "-" else {
            try self.init(json: NamedFile.read(path, advice: Self.advice), name: name)
            return
        }
        guard let bytes = DescriptorInput.readAll(STDIN_FILENO, limit: NamedFile.greatestSize) else {
            throw FlourishError(.inputUnavailable, "\(name): cannot be read; \(Self.advice)")
        }
        try self.init(json: bytes, name: name)
    }

    /// Reads a plan's text.
    ///
    /// - Parameters:
    ///   - json: The text, in UTF-8.
    ///   - name: The plan's name in errors.
    /// - Throws: ``FlourishError/Code/inputUnusable`` with the place of the first error if the text is not a valid
    ///   plan.
    public init(json: [UInt8], name: String = "the plan") throws(FlourishError) {
        guard json.count <= NamedFile.greatestSize else {
            throw FlourishError(.inputUnusable, "\(name): too large for a plan")
        }
        do {
            self = try JSONFault.decode(ReactionPlan.self, from: json)
        } catch {
            let place = error.place.isEmpty ? "" : "\(error.place): "
            throw FlourishError(
                .inputUnusable,
                "\(name): \(place)\(error.message); correct it, or make a new plan with: flourish plan VIDEO")
        }
        self.name = name
        try validate()
    }

    /// Writes the plan atomically.
    ///
    /// ```swift
    /// let path = ReactionPlan.path(for: "call.mp4")  // call.plan.json
    /// try plan.write(to: path, overwrite: true)
    /// ```
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - overwrite: Replaces an existing file.
    /// - Throws: ``FlourishError/Code/outputUnavailable``, ``FlourishError/Code/inputOutput``.
    public func write(to path: String, overwrite: Bool = false) throws(FlourishError) {
        try TextFile.write(json, to: path, overwrite: overwrite)
    }

    /// Returns the default path of a recording's plan, in the recording's folder: `call.plan.json` for `call.mp4`.
    public static func path(for recording: String) -> String {
        let slash = recording.lastIndex(of: "/").map(recording.index(after:)) ?? recording.startIndex
        // A leading dot does not begin an extension.
        let dot = recording[slash...].dropFirst().lastIndex(of: ".")
        return recording[..<(dot ?? recording.endIndex)] + ".plan.json"
    }
}

/// An edit of some reactions of a plan, of its style, or of its tiles. Fields that the patch does not name are
/// unchanged.
///
/// The JSON form is a merge patch (RFC 7396) of the style and of each reaction, which is identified by its id. The
/// patch's list of layouts replaces the plan's list.
package struct PlanPatch: Sendable, Hashable, Codable {
    /// The changes by id. A change contains the fields to change, and `null` removes a field. A new id requires a
    /// complete reaction; `null` removes a reaction.
    package var reactions: [String: JSONValue]?
    /// The fields of the style to change.
    package var style: JSONValue?
    /// The new layouts.
    package var layouts: JSONValue?

    package init(reactions: [String: JSONValue]? = nil, style: JSONValue? = nil, layouts: JSONValue? = nil) {
        self.reactions = reactions
        self.style = style
        self.layouts = layouts
    }

    /// Reads a patch.
    /// - Throws: ``FlourishError/Code/inputUnusable`` with the place of the first error if the text is not a valid
    ///   patch.
    package init(json: [UInt8]) throws(FlourishError) {
        do { self = try JSONFault.decode(PlanPatch.self, from: json) } catch {
            let place = error.place.isEmpty ? "" : "\(error.place): "
            throw FlourishError(.inputUnusable, "\(place)\(error.message)")
        }
    }
}

extension ReactionPlan {
    /// Returns the plan with the patch applied.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable`` if the result is invalid.
    package func patched(by patch: PlanPatch) throws(FlourishError) -> ReactionPlan {
        guard case .object(var tree) = tree else { return self }
        if let style = patch.style { tree["style"] = (tree["style"] ?? .null).merged(with: style) }
        if let layouts = patch.layouts { tree["layouts"] = layouts }
        if let changes = patch.reactions, case .array(var reactions)? = tree["reactions"] {
            for (name, change) in changes.sorted(by: { $0.key < $1.key }) {
                guard let id = Int(name) else {
                    throw FlourishError(
                        .inputUnusable, "reactions.\(name.prefix(40)): reactions are identified by their ids")
                }
                let index = reactions.firstIndex { $0["id"] == .integer(id) }
                switch (change, index) {
                case (.null, let index?): reactions.remove(at: index)
                case (.null, nil): break
                case (.object, let index?): reactions[index] = reactions[index].merged(with: change)
                case (.object, nil):
                    reactions.append(change.merged(with: .object(["id": .integer(id)])))
                default: throw FlourishError(.inputUnusable, "reactions.\(name): must be an object or null")
                }
            }
            tree["reactions"] = .array(reactions)
        }
        return try ReactionPlan(json: Array(JSONLine.encode(JSONValue.object(tree)).utf8), name: name)
    }

    /// The plan with an unused id for each reaction without one.
    package var numbered: ReactionPlan {
        var plan = self
        var taken = Set(reactions.compactMap(\.id))
        // Greater than all other numbers, unless the greatest possible number is in use.
        let greatest = taken.max() ?? 0
        var next = greatest < .max - reactions.count ? greatest + 1 : 1
        for index in plan.reactions.indices where plan.reactions[index].id == nil {
            while !taken.insert(next).inserted { next += 1 }
            plan.reactions[index].id = next
        }
        return plan
    }

    private var tree: JSONValue {
        (try? JSONDecoder().decode(JSONValue.self, from: Data(JSONLine.encode(self).utf8))) ?? .null
    }
}

extension JSONValue {
    /// Returns a field of an object.
    package subscript(key: String) -> JSONValue? {
        if case .object(let fields) = self { fields[key] } else { nil }
    }

    /// Returns the value with a merge patch applied: https://www.rfc-editor.org/rfc/rfc7396
    package func merged(with patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var fields: [String: JSONValue] = if case .object(let fields) = self { fields } else { [:] }
        for (key, change) in changes {
            fields[key] = change == .null ? nil : (fields[key] ?? .null).merged(with: change)
        }
        return .object(fields)
    }
}
