import Foundation
import Testing
import TestSupport

@Suite("Packs of effects, on the command line")
struct EffectPackCommandTests {
    @Test func packsAreInstalledListedUsedAndRemoved() async throws {
        try await Workbench.with { bench in
            let own: [String: String?] = ["XDG_CONFIG_HOME": bench.file("config").path]
            func flourish(_ arguments: [String]) async throws -> ProgramResult {
                try await bench.flourish(arguments, environment: own)
            }
            let before = try await flourish(["packs"])
            #expect(before.outputLines.contains { $0.hasPrefix("seasonal  no") })

            let installed = try await flourish(["packs", "--install", "seasonal"])
            #expect(installed.exitCode == 0, "\(installed.standardError)")
            #expect(installed.outputLines == ["seasonal: blossom, fireflies, autumnLeaves, snow"])
            let again = try await flourish(["packs", "--install", "seasonal"])
            let place = bench.file("config/flourish/effects").path
            expectRefusal(again, code: 73, naming: place + "/seasonal", saying: "installed already")
            #expect(try await flourish(["packs", "--install", "seasonal", "-y"]).exitCode == 0)

            let list = try await flourish(["packs", "--json"])
            let packs = try #require(
                try JSONSerialization.jsonObject(with: Data(list.standardOutput.utf8)) as? [[String: Any]])
            #expect(packs.map { $0["name"] as? String } == ["seasonal", "plain"])
            #expect(packs.map { $0["isInstalled"] as? Bool } == [true, false])

            let reactions = try await flourish(["reactions", "--bind", "victory=snow"])
            #expect(reactions.outputLines.contains { $0.hasPrefix("snow") && $0.contains("victory") })
            let preview = try await flourish(["preview", "snow", "snow.gif", "--size", "96x64", "--rate", "5"])
            #expect(preview.exitCode == 0, "\(preview.standardError)")

            #expect(try await flourish(["packs", "--remove", "seasonal"]).exitCode == 0)
            #expect(try await !flourish(["reactions"]).standardOutput.contains("snow"))
            let missing = try await flourish(["packs", "--remove", "seasonal"])
            expectRefusal(missing, code: 66, naming: place, saying: "seasonal", "no packs are installed")
            let nowhere = try await flourish(["packs", "--install", "nowhere.zip"])
            expectRefusal(nowhere, code: 66, naming: "nowhere.zip", saying: "no such file")
            try bench.write("text", as: "pack.zip")
            let noZip = try await flourish(["packs", "--install", "pack.zip"])
            expectRefusal(noZip, code: 65, naming: "pack.zip", saying: "not a pack")
        }
    }
}
