import Foundation
import Testing
import TestSupport

@Suite("The version")
struct VersionTests {
    @Test func theVersionListsItsLibraries() async throws {
        try await Workbench.with { bench in
            let lines = try await bench.flourish(["--version"]).outputLines
            try #require(lines.count == 3)
            #expect(lines[0].wholeMatch(of: /flourish \d+\.\d+\.\d+( \([0-9a-f]{12}(, modified)?\))?/) != nil)
            #expect(lines[1].contains("libavcodec ") && lines[1].contains("libavformat "))
            // The tests run with the FFmpeg that they were built with.
            let release = try #require(lines[1].wholeMatch(of: /FFmpeg (\S+), built with (\S+): .*/))
            #expect(release.1 == release.2)
            #expect(lines[2] == "LiteRT: 2.3.0" || lines[2].contains("doctor"))
        }
    }

    @Test func theVersionIsAvailableAsJSON() async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish(["--version", "--json"])
            let version = try JSONValue(parsing: result.standardOutput)
            let number = try #require(version["version"]?.string)
            let words = try await bench.flourish(["--version"]).standardOutput
            #expect(words.hasPrefix("flourish \(number)"))
            #expect(version["ffmpeg"]?["libavcodec"]?.string?.isEmpty == false)
            #expect(version["ffmpegRelease"]?.string == version["ffmpegBuilt"]?.string)
            #expect(version["assets"]?.string?.wholeMatch(of: /fnv1a:[0-9a-f]{16}/) != nil)
            // It is the same from call to call, and in either order.
            let again = try await bench.flourish(["--json", "--version"])
            #expect(again.standardOutput == result.standardOutput)
        }
    }

    @Test func changedEffectsChangeTheHash() async throws {
        try await Workbench.with { bench in
            for folder in ["Reactions", "Sprites", "Gestures"] {
                try FileManager.default.createDirectory(
                    at: bench.file("Assets/\(folder)"), withIntermediateDirectories: true)
            }
            let environment: [String: String?] = [
                "FLOURISH_ASSETS": bench.file("Assets").path, "FLOURISH_HOME": bench.folder.path,
            ]
            func hash() async throws -> String? {
                let result = try await bench.flourish(["--version", "--json"], environment: environment)
                return try JSONValue(parsing: result.standardOutput)["assets"]?.string
            }
            #expect(try await hash() == nil)
            try bench.write("a", as: "Assets/Reactions/one.json")
            let one = try await hash()
            try bench.write("b", as: "Assets/Reactions/one.json")
            let other = try await hash()
            #expect(one != nil && other != nil && one != other)
        }
    }

    /// Scripts and packages read the number from one line of one file.
    @Test func scriptsReadTheSameNumber() async throws {
        try await Workbench.with { bench in
            let read = try await Program.onPath("bash").succeed(
                ["-c", "source Scripts/common.sh; version"], in: Repository.root)
            let reported = try await bench.flourish(["--version", "--json"])
            #expect(
                try JSONValue(parsing: reported.standardOutput)["version"]?.string
                    == read.standardOutput.trimmingCharacters(in: .newlines))
        }
    }
}
