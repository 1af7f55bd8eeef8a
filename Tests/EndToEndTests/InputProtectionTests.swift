import Foundation
import Testing
import TestSupport

/// A run never overwrites the files that it reads.
@Suite("Input protection")
struct InputProtectionTests {
    @Test(arguments: [
        ["--events", "plan.json"], ["--sidecar", "plan.json"], ["--report", "plan.json"],
        ["--events", "own.toml"], ["--sidecar", "own.toml"], ["--events", "gestures.json"],
    ])
    func inputsAreNeverOverwritten(_ options: [String]) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", sound: false)
            try await bench.shortPlan("in.mp4", "plan.json", [("heart", 0.1, 0.2)])
            try bench.write("[effects]\ncalm = true\n", as: "own.toml")
            try bench.write("{}", as: "gestures.json")
            let before = try ["plan.json", "own.toml", "gestures.json"].map(bench.bytes)
            let given =
                ["filter", "in.mp4", "out.mp4", "--plan", "plan.json", "--config", "own.toml"]
                + (options[1] == "gestures.json" ? ["--gestures", "gestures.json"] : [])
            let result = try await bench.flourish(given + options)
            expectRefusal(
                result, code: 64, naming: "",
                saying: "\(options[1]): is already used by this run; choose another \(options[0]) path")
            #expect(try ["plan.json", "own.toml", "gestures.json"].map(bench.bytes) == before)
        }
    }
}
