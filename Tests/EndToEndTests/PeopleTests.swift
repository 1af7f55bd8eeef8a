import Foundation
import Testing
import TestSupport

/// Effects that are to stay behind people, where people cannot be told from the room.
@Suite struct PeopleTests {
    @Test("Without the model effects are in front, and one warning says so")
    func missingModel() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 3, sound: false)
            let nothing: [String: String?] = ["FLOURISH_HOME": bench.file("nothing").path]
            let filter = ["filter", "in.mp4", "out.mp4", "--no-gestures", "--events", "events.jsonl"]
            let both = try await bench.flourish(
                filter + ["--reaction", "lasers@0.2", "--reaction", "fireworks@1"], environment: nothing)
            #expect(both.exitCode == 0, "\(both.standardError)")
            let text = try String(decoding: bench.bytes("events.jsonl"), as: UTF8.self)
            #expect(text.components(separatedBy: "\"code\":\"peopleNotFound\"").count == 2)
            #expect(text.contains("effects are drawn in front of people"))

            // What is all in front asks for no model.
            let thumbs = try await bench.flourish(
                filter + ["-y", "--reaction", "thumbsUp@0.2"], environment: nothing)
            #expect(thumbs.exitCode == 0)
            #expect(!(try String(decoding: bench.bytes("events.jsonl"), as: UTF8.self).contains("warning")))
        }
    }
}
