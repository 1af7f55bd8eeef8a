import Reactions

/// All markers of a plan on a timeline.
struct MarkerSheet: Sendable, Hashable {
    let source: ReactionPlan.Source
    let rate: TimecodeRate
    /// The recording's length in frames.
    let length: Int
    /// One marker for each reaction, in the order of the plan's reactions.
    private(set) var markers: [PlanMarker]

    /// - Parameter durations: The default duration of each type of reaction, in seconds.
    init(_ plan: ReactionPlan, rate: TimecodeRate, durations: [ReactionType: Double]) {
        (source, self.rate) = (plan.source, rate)
        let length = max(1, rate.frame(at: plan.source.duration))
        self.length = length
        let ids = plan.numbers
        markers = zip(plan.reactions, ids).map { reaction, id in
            let seconds =
                reaction.endTime.map { $0 - reaction.startTime }
                ?? durations[reaction.reactionType] ?? Self.usualDuration
            let frame = min(max(0, rate.frame(at: reaction.startTime - plan.source.startTime)), length - 1)
            return PlanMarker(
                id: id, reactionType: reaction.reactionType, isEnabled: reaction.isEnabled, frame: frame,
                duration: max(1, min(rate.frame(at: seconds), length)), comment: Self.comment(on: reaction))
        }
        spread()
        for index in markers.indices {
            markers[index].duration = max(1, min(markers[index].duration, length - markers[index].frame))
        }
    }

    /// The duration of a reaction whose effect is not installed, in seconds.
    static let usualDuration = 3.0

    /// The markers by time.
    var sorted: [PlanMarker] { markers.sorted { ($0.frame, $0.id) < ($1.frame, $1.id) } }

    /// Gives each marker a separate frame. Of two markers on one frame, editing programs keep only one.
    private mutating func spread() {
        let order = markers.indices.sorted { (markers[$0].frame, markers[$0].id) < (markers[$1].frame, markers[$1].id) }
        var next = 0
        for index in order {
            markers[index].frame = max(markers[index].frame, next)
            next = markers[index].frame + 1
        }
        var last = length - 1
        for index in order.reversed() {
            markers[index].frame = max(0, min(markers[index].frame, last))
            last = markers[index].frame - 1
        }
    }

    private static func comment(on reaction: ReactionPlan.Reaction) -> String {
        var parts: [String] = []
        if !reaction.isEnabled { parts.append(reaction.reason.map { "off: \($0.rawValue)" } ?? "off") }
        if let gesture = reaction.gesture { parts.append("gesture \(gesture.rawValue)") }
        if let confidence = reaction.confidence {
            parts.append("confidence \(JSONLine.rounded(confidence, places: 2).plainText)")
        }
        if let note = reaction.note { parts.append("note: \(note)") }
        return parts.joined(separator: ", ").onOneLine
    }
}

/// The marker of a reaction. Times are in frames from the recording's first frame.
struct PlanMarker: Sendable, Hashable {
    /// The reaction's number: its own, or the number that it would get.
    var id: Int
    var reactionType: ReactionType
    var isEnabled: Bool
    var frame: Int
    /// The duration in frames, at least 1.
    var duration: Int
    /// A description of the reaction for reviewers: one line that begins with a letter.
    var comment: String

    /// The name, such as `thumbsUp #3`. Programs that drop all other data of a marker keep its name.
    var name: String { "\(reactionType) #\(id)" }
}

extension String {
    /// The text with line breaks and control characters as blanks.
    var onOneLine: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator: " "
                    default: scalar
                    }
                }))
    }
}

/// The two colours that indicate whether a reaction is enabled. Any other colour has no meaning.
enum MarkerColour: String, Sendable {
    case on = "green"
    case off = "red"

    /// Parses a colour's name as programs write it, in any case.
    init?(_ name: some StringProtocol) { self.init(rawValue: name.lowercased()) }

    var name: String { self == .on ? "Green" : "Red" }
}

/// A frame rate that timecode supports, and the way in which timecode counts its frames.
///
/// Timecode counts whole frames a second. At 29.97 (30000/1001) it lags behind the clock by 3.6 s an hour. *Drop-frame*
/// timecode compensates for this by skipping numbers, but no frames: the first two numbers of each minute except every
/// tenth (four at 59.94). SMPTE ST 12-1; in short https://en.wikipedia.org/wiki/SMPTE_timecode#Drop-frame_timecode
struct TimecodeRate: Sendable, Hashable {
    /// The number of frames in ``seconds``, such as 30000 in 1001.
    let frames: Int
    let seconds: Int
    /// A Boolean value that indicates whether numbers are skipped.
    let isDropFrame: Bool

    /// The default for a recording without a rate, or with a rate that timecode does not support. Frames of such a
    /// recording can have any time, and an editing program places them on a timeline of its own rate.
    static let usual = 30.0

    /// - Parameter framesPerSecond: The rate. 23.976, 29.97 and similar values denote the fractions of 1001.
    init(_ framesPerSecond: Double?, isDropFrame: Bool = false) {
        let wanted = Self.isKnown(framesPerSecond) ? framesPerSecond ?? Self.usual : Self.usual
        let count = wanted.rounded()
        let isFraction =
            abs(wanted - count * 1000 / 1001) < abs(wanted - count) && [24, 30, 48, 60, 120].contains(count)
        (frames, seconds) = isFraction ? (Int(count) * 1000, 1001) : (Int(count), 1)
        self.isDropFrame = isDropFrame && isFraction && [30, 60].contains(count)
    }

    /// Returns whether timecode supports the rate: integers, and NTSC rates.
    static func isKnown(_ framesPerSecond: Double?) -> Bool {
        guard let rate = framesPerSecond, rate.isFinite, (0.98...240.02).contains(rate) else { return false }
        let count = rate.rounded()
        return min(abs(rate - count), abs(rate - count * 1000 / 1001)) < 0.02
    }

    var framesPerSecond: Double { Double(frames) / Double(seconds) }

    /// The number of frames that timecode counts in a second.
    var base: Int { (frames + seconds / 2) / seconds }

    /// A Boolean value that indicates whether the rate is a fraction, "NTSC" in Final Cut Pro's terms.
    var isFraction: Bool { seconds != 1 }

    /// A Boolean value that indicates whether drop-frame timecode exists for the rate.
    var knowsDropFrame: Bool { isFraction && (base == 30 || base == 60) }

    /// The number of timecode numbers that are skipped in a minute.
    private var left: Int { isDropFrame ? base / 15 : 0 }

    /// The number of frames that timecode counts in a day, after which its clock restarts.
    var day: Int { 86_400 * base - left * 9 * 144 }

    /// Returns the nearest frame to a time. A plan may contain any number for disabled reactions.
    func frame(at seconds: Double) -> Int {
        let frame = (seconds * framesPerSecond).rounded()
        return frame.isNaN ? 0 : Int(min(max(frame, -1e12), 1e12))
    }

    /// Returns the start of a frame, in seconds.
    func time(of frame: Int) -> Double { Double(frame) * Double(seconds) / Double(frames) }

    /// Formats a timecode: `00:10:00;00` for frame 17982 of drop-frame timecode.
    func timecode(_ frame: Int) -> String {
        let minute = base * 60 - left
        let (tens, rest) = frame.quotientAndRemainder(dividingBy: minute * 10 + left)
        let skipped = tens * 9 + (rest < base * 60 ? 0 : 1 + (rest - base * 60) / minute)
        let number = frame + left * skipped
        func digits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let second = number / base
        return "\(digits(second / 3600)):\(digits(second / 60 % 60)):\(digits(second % 60))"
            + (isDropFrame ? ";" : ":") + digits(number % base)
    }

    /// Returns the frame of a timecode, with any separators between its numbers; `nil` for an invalid one.
    func frame(of timecode: Substring) -> Int? {
        let parts = timecode.split(omittingEmptySubsequences: false) { ":;.,".contains($0) }
        let numbers = parts.compactMap { part in part.allSatisfy(\.isASCIIDigit) ? Int(part) : nil }
        guard parts.count == 4, numbers.count == 4, parts.allSatisfy({ (1...3).contains($0.count) }),
            numbers[1] < 60, numbers[2] < 60, numbers[3] < base
        else { return nil }
        let minutes = numbers[0] * 60 + numbers[1]
        if numbers[3] < left, numbers[2] == 0, minutes % 10 != 0 { return nil }
        return (minutes * 60 + numbers[2]) * base + numbers[3] - left * (minutes - minutes / 10)
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
