public import ArgumentParser
public import Flourish
import Platform
import Reactions

// Types that options and arguments are parsed into.

extension ReactionGesture: ExpressibleByArgument {}
extension EncodingOptions.Codec: ExpressibleByArgument {
    /// Parses a codec's name, or another usual name of it, such as `h265` or `x264`.
    public init?(argument: String) { self.init(name: argument) }
}
extension InputOptions.Decoders: ExpressibleByArgument {}
extension SmartRender: ExpressibleByArgument {}
extension HoldRingVisibility: ExpressibleByArgument {}
extension Sensitivity: ExpressibleByArgument {}
extension SpeechPolicy: ExpressibleByArgument {}
extension PhotoQualityPrioritization: ExpressibleByArgument {}
extension PhotoFileType: ExpressibleByArgument {}
extension PhotoOptions.DeferredDelivery: ExpressibleByArgument {}

/// A place in the picture, such as `0.5,0.4`.
extension PicturePoint: ExpressibleByArgument {
    /// Parses a place.
    ///
    /// - Returns: `nil` unless the text is two numbers from 0 to 1.
    public init?(argument: String) {
        self.init(argument.split(separator: ",", omittingEmptySubsequences: false)[...])
    }

    /// - Parameter parts: The horizontal and the vertical share, 0…1, in digits.
    fileprivate init?(_ parts: ArraySlice<Substring>) {
        let numbers = parts.map { Double($0) }
        guard numbers.count == 2, let x = numbers[0], let y = numbers[1],
            (0...1).contains(x), (0...1).contains(y)
        else { return nil }
        self.init(x: x, y: y)
    }
}

/// A time or a duration: `12.5`, `1:30` or `0:01:30.25`.
struct TimeArgument: ExpressibleByArgument {
    let seconds: Double

    init?(argument: String) {
        guard let seconds = Self.seconds(argument) else { return nil }
        self.seconds = seconds
    }

    /// Returns the seconds that a text specifies, positive or negative; `nil` if the text is no time.
    static func seconds(_ text: some StringProtocol) -> Double? {
        guard let seconds = text.contains(":") ? ClockText.seconds(text) : Double(text),
            abs(seconds) <= InputOptions.latestTime
        else { return nil }
        return seconds
    }
}

/// An argument `TYPE[@TIME][,X,Y]`, such as `confetti@12.5`, `rain@1:30` or `heart@3,0.5,0.4`.
struct ReactionArgument {
    private let reaction: ScheduledReaction
    private let hasTime: Bool

    /// Returns the reaction. A reaction without a time is scheduled at `start`, on the first frame that is read.
    func scheduled(from start: Double) -> ScheduledReaction {
        var scheduled = reaction
        if !hasTime { scheduled.seconds = start }
        return scheduled
    }

    /// Parses a reaction. The session checks later whether the type exists.
    ///
    /// - Throws: `ValidationError` that names the invalid part.
    @Sendable
    static func reaction(_ argument: String) throws -> ReactionArgument {
        if let words = ReactionType(rawValue: argument).text { return try text(words) }
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        let head = parts[0].split(separator: "@", omittingEmptySubsequences: false)
        guard let name = head.first, !name.isEmpty, head.count <= 2 else {
            throw ValidationError("give a reaction and its start time, such as heart@2.5")
        }
        var seconds = 0.0
        if head.count == 2 {
            guard let value = TimeArgument.seconds(head[1]), value >= 0 else {
                throw ValidationError("give the start time in seconds after the @, such as \(name)@2.5 or \(name)@1:30")
            }
            seconds = value
        }
        var origin: PicturePoint?
        if parts.count > 1 {
            origin = PicturePoint(parts[1...])
            guard origin != nil else {
                throw ValidationError(
                    "give the position as two numbers from 0 to 1 after the comma, such as \(parts[0]),0.5,0.4")
            }
        }
        return ReactionArgument(
            reaction: ScheduledReaction(ReactionType(rawValue: String(name)), at: seconds, origin: origin),
            hasTime: head.count == 2)
    }
}

extension ReactionArgument {
    /// Parses words, and the time and position after their last `@`. The words may be in double quotes, and contain an
    /// `@` before anything but a number.
    private static func text(_ argument: String) throws -> ReactionArgument {
        var (words, start) = (argument, nil as ReactionArgument?)
        if let at = argument.lastIndex(of: "@"), argument[at...].dropFirst().first?.isNumber == true {
            words = String(argument[..<at])
            start = try reaction("heart" + argument[at...])
        }
        if words.count > 1, words.hasPrefix("\""), words.hasSuffix("\"") {
            words = String(words.dropFirst().dropLast())
        }
        var scheduled = start?.reaction ?? ScheduledReaction(.text(words), at: 0)
        scheduled.reactionType = .text(words)
        return ReactionArgument(reaction: scheduled, hasTime: start != nil)
    }
}

extension CommandLine {
    /// The arguments after the program's name, in arbitrary bytes; `RawName` encodes bytes that are not UTF-8.
    static let rawArguments: [String] = (1..<max(Int(argc), 1)).compactMap { index in
        guard let argument = unsafe unsafeArgv[index] else { return nil }
        let bytes = unsafe UnsafeBufferPointer(start: argument, count: strlen(argument))
        return RawName.text(unsafe bytes.map { UInt8(bitPattern: $0) })
    }
}

/// The size of a picture, such as `1280x720`.
struct PictureSize: ExpressibleByArgument {
    let width: Int
    let height: Int

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    init?(argument: String) {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let width = parts[0], let height = parts[1],
            (16...8192).contains(width), (16...8192).contains(height)
        else { return nil }
        self.init(width: width, height: height)
    }

    var defaultValueDescription: String { "\(width)x\(height)" }
}

extension PictureSize {
    /// The error for a text that is no size of a camera's pictures.
    static func cameraFault(_ text: String) -> String {
        "--video-size must be a width and a height in even pixels, such as 1280x720, not '\(text)'"
    }

    /// Reads the size of a camera's pictures. Both sides are even: chroma samples cover two pixels.
    init?(ofCamera text: String) {
        self.init(argument: text)
        guard width % 2 == 0, height % 2 == 0 else { return nil }
    }
}
