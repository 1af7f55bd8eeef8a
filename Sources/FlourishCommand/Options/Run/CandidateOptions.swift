import ArgumentParser
import Flourish

/// What is told of gestures that did not fire.
struct CandidateOptions: ParsableArguments {
    @Flag(help: "Write an event for each gesture that nearly fired, with the reason why it did not.")
    var candidates = false

    /// Refuses the option where no gestures are recognised.
    func refuse(beside reactions: ReactionOptions) throws {
        if candidates, reactions.noGestures {
            throw ValidationError("--candidates has no effect beside --no-gestures; leave one out")
        }
    }

    func apply(to configuration: inout Configuration) {
        configuration.tellsCandidates = candidates
    }
}
