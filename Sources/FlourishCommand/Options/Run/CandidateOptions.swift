import ArgumentParser
import Flourish

/// What is told of gestures that did not fire.
struct CandidateOptions: ParsableArguments {
    @Flag(help: "Write an event for each gesture that nearly fired, with the reason why it did not.")
    var candidates = false

    func apply(to configuration: inout Configuration) {
        configuration.tellsCandidates = candidates
    }
}
