import ArgumentParser
import Flourish

/// What is told of gestures that did not fire.
struct CandidateOptions: ParsableArguments {
    @Flag(help: "Tell in events which gestures nearly fired, and why they did not.")
    var candidates = false

    func apply(to configuration: inout Configuration) {
        configuration.tellsCandidates = candidates
    }
}
