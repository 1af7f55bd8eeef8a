public import ArgumentParser
public import Flourish
import Platform

/// `TYPE[@TIME][,X,Y]`, such as `confetti@12.5`, `rain@1:30` or `heart@3,0.5,0.4`.
struct ReactionArgument {
    private let reaction: ScheduledReaction
    /// Whether it has a time.
    private let hasTime: Bool

    /// The reaction; one without a time is shown on the first picture that is read.
    func scheduled(from start: Double) -> ScheduledReaction {
        var scheduled = reaction
        if !hasTime { scheduled.seconds = start }
        return scheduled
    }

    /// What to complete on the command line.
    static var completion: CompletionKind { .list(ReactionType.builtIn.map(\.rawValue)) }

    /// - Throws: `ValidationError` that says what is wrong. Whether there is such a reaction is asked later.
    @Sendable
    static func reaction(_ argument: String) throws -> ReactionArgument {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        let head = parts[0].split(separator: "@", omittingEmptySubsequences: false)
        guard let name = head.first, !name.isEmpty, head.count <= 2 else {
            throw ValidationError("give a reaction and when it starts, such as heart@2.5")
        }
        var seconds = 0.0
        if head.count == 2 {
            guard let value = TimeArgument.seconds(head[1]), value >= 0 else {
                throw ValidationError("after the @ give seconds from 0 on, such as \(name)@2.5 or \(name)@1:30")
            }
            seconds = value
        }
        var origin: PicturePoint?
        if parts.count > 1 {
            guard let place = PlaceArgument(parts[1...]) else {
                throw ValidationError(
                    "after the comma give how far across and down it is, from 0 to 1, such as \(parts[0]),0.5,0.4")
            }
            origin = place.point
        }
        return ReactionArgument(
            reaction: ScheduledReaction(ReactionType(rawValue: String(name)), at: seconds, origin: origin),
            hasTime: head.count == 2)
    }
}

extension ReactionGesture: ExpressibleByArgument {}
extension EncodingOptions.Codec: ExpressibleByArgument {}
extension SmartRender: ExpressibleByArgument {}
extension Sensitivity: ExpressibleByArgument {}
extension PhotoQualityPrioritization: ExpressibleByArgument {}
extension PhotoFileType: ExpressibleByArgument {}
extension PhotoOptions.DeferredDelivery: ExpressibleByArgument {}

/// A time or a length of time: `12.5`, `1:30` or `0:01:30.25`.
struct TimeArgument: ExpressibleByArgument {
    let seconds: Double

    init?(argument: String) {
        guard let seconds = Self.seconds(argument) else { return nil }
        self.seconds = seconds
    }

    /// The seconds that a text stands for; whether they make sense is asked later. `nil` for what is no time.
    static func seconds(_ text: some StringProtocol) -> Double? {
        guard let seconds = read(text), abs(seconds) <= InputOptions.latestTime else { return nil }
        return seconds
    }

    private static func read(_ text: some StringProtocol) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 1 { return Double(text) }
        guard parts.count <= 3, let last = parts.last, last.first?.isNumber == true,
            let seconds = Double(last), seconds < 60
        else { return nil }
        var total = 0.0
        for (place, part) in parts.dropLast().enumerated() {
            guard part.allSatisfy(\.isNumber), let number = Int(part), place == 0 || number < 60 else { return nil }
            total = total * 60 + Double(number)
        }
        return total * 60 + seconds
    }
}

/// `0.5,0.4`
struct PlaceArgument: ExpressibleByArgument {
    let point: PicturePoint

    init?(argument: String) {
        self.init(argument.split(separator: ",", omittingEmptySubsequences: false)[...])
    }

    /// - Parameter parts: how far it is across and down, 0…1, in digits.
    init?(_ parts: ArraySlice<Substring>) {
        let numbers = parts.map { Double($0) }
        guard numbers.count == 2, let x = numbers[0], let y = numbers[1],
            (0...1).contains(x), (0...1).contains(y)
        else { return nil }
        point = PicturePoint(x: x, y: y)
    }
}

/// The command line as it was given, whatever bytes it holds.
enum RawArguments {
    /// The arguments after the program's name. What is no UTF-8 stands there as `RawName` has it.
    static let all: [String] = (1..<max(Int(CommandLine.argc), 1)).compactMap { index in
        guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
        let bytes = unsafe UnsafeBufferPointer(start: argument, count: strlen(argument))
        return RawName.text(unsafe bytes.map { UInt8(bitPattern: $0) })
    }
}
