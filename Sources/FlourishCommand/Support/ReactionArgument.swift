public import ArgumentParser
public import Flourish

/// `TYPE[@SECONDS][,X,Y]`, such as `confetti@12.5` or `heart@3,0.5,0.4`.
struct ReactionArgument: ExpressibleByArgument {
    let reaction: ScheduledReaction

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.count == 3 else { return nil }
        let head = parts[0].split(separator: "@", omittingEmptySubsequences: false)
        guard let name = head.first, !name.isEmpty, head.count <= 2 else { return nil }
        var seconds = 0.0
        if head.count == 2 {
            guard let value = Double(head[1]), value >= 0, value.isFinite else { return nil }
            seconds = value
        }
        var origin: PicturePoint?
        if parts.count == 3 {
            guard let place = PlaceArgument(parts[1...]) else { return nil }
            origin = place.point
        }
        reaction = ScheduledReaction(
            ReactionType(rawValue: String(name)), at: seconds, origin: origin)
    }

    static var allValueStrings: [String] { ReactionType.builtIn.map(\.rawValue) }
}

extension ReactionGesture: ExpressibleByArgument {}
extension EncodingOptions.Codec: ExpressibleByArgument {}
