public import ArgumentParser
public import Flourish

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
