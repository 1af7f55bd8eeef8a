// The example of the library's front page (Flourish.docc/Flourish.md), compiled as it stands there.

import Flourish

/// Filters a recorded call, adds balloons at 1.5 s, and prints the events.
func react(to call: String, writing output: String) async throws -> Int {
    var configuration = Configuration()
    configuration.hold = 0.8
    configuration.disabledGestures = [.thumbsDown]
    configuration.scheduledReactions = [ScheduledReaction(.balloons, at: 1.5)]
    configuration.overwrite = true

    let session = ReactionSession(configuration: configuration)
    let events = session.events
    let printing = Task {
        for await event in events { print(event.jsonLine) }
    }
    let outcome = try await session.filter(call, to: output)
    await printing.value
    return outcome.summary.effects.values.reduce(0, +)
}
