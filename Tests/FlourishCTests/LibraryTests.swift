import Foundation
import Testing
import TestSupport

/// The shared library, used by a C program.
@Suite("C library", .enabled(if: LibraryBuild.obstacle == nil, "\(LibraryBuild.obstacle ?? "")"))
struct LibraryTests {
    /// The functions that the header declares.
    private func declaredFunctions() throws -> Set<String> {
        Set(try HeaderReader.header().declarations.compactMap(\.function))
    }

    /// Executes a check of the client, which ends with another exit code if it fails or leaks memory.
    @Test(arguments: ["arguments", "frames", "control", "overlay", "pairs", "leaks", "threads"])
    func aCProgramUsesIt(_ check: String) async throws {
        let result = try await LibraryBuild.client.value.run([check], timeout: .seconds(600))
        #expect(result.exitCode == 0, "\(result.standardError)")
    }

    /// The sanitizer installs signal handlers and looks at leaks; the test of both is of the library's effects alone.
    @Test func theHostIsUntouched() async throws {
        let result = try await LibraryBuild.client.value.run(["host"], timeout: .seconds(300))
        #expect(result.exitCode == 0, "\(result.standardError)")
        #expect(result.standardOutput.isEmpty && result.standardError.isEmpty, "\(result.standardError)")
    }

    @Test func releasedProcessorsLeaveNoMemory() async throws {
        let result = try await LibraryBuild.plainClient.value.run(["leaks"], timeout: .seconds(600))
        #expect(result.exitCode == 0, "\(result.standardError)")
    }

    @Test func threadsDoNotRace() async throws {
        let result = try await LibraryBuild.threadClient.value.run(["threads"], timeout: .seconds(600))
        #expect(result.exitCode == 0, "\(result.standardError)")
    }

    @Test func onlyTheAPIIsExported() async throws {
        let library = try await LibraryBuild.prefix.value.appending(path: "lib/libflourish.so")
        let symbols = try await Program.onPath("nm").succeed(["-D", "--defined-only", library.path]).outputLines
            .compactMap { $0.split(separator: " ").last.map(String.init) }
        let functions = try declaredFunctions()
        #expect(functions.count > 15)
        #expect(Set(symbols) == Set(functions.map { $0 + "@@FLOURISH_0" }))
    }

    /// The runtimes of Swift and Foundation are inside, without ICU.
    @Test func onlySystemLibrariesAreNeeded() async throws {
        let library = try await LibraryBuild.prefix.value.appending(path: "lib/libflourish.so")
        let dynamic = try await Program.onPath("readelf").succeed(["-dW", library.path]).outputLines
        #expect(dynamic.contains { $0.contains("(SONAME)") && $0.contains("[libflourish.so.0]") })
        #expect(!dynamic.contains { $0.contains("(NEEDED)") && ($0.contains("wift") || $0.contains("Foundation")) })
        #expect(try Data(contentsOf: library).range(of: Data("icudt".utf8)) == nil)
    }

    @Test func cPlusPlusReadsTheHeader() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "main.cpp")
            try Data("#include <flourish.h>\nint main() { return flourish_version()[0] == 0; }\n".utf8).write(to: file)
            let program = try await LibraryBuild.compile(file.path, to: "version", ["-x", "c++", "-pedantic"])
            try await program.succeed([])
        }
    }

    /// The example's frames and events are those of the same example in Swift.
    @Test func theExampleFiltersFrames() async throws {
        let example = try await LibraryBuild.compile(
            "docs/examples/frame-filter-c", to: "frame-filter-c",
            ["-std=c99", "-pedantic", "-fsanitize=address,undefined"])
        var frames = Data()
        for frame in 0..<20 {
            frames.append(contentsOf: (0..<160 * 90 * 3 / 2).map { UInt8(($0 + frame) % 200) })
        }
        let settings = #"{"recognition": {"gestures": false}, "processor": {"matrix": "bt709"}}"#
        let result = try await example.succeed(["160", "90", "10", settings, "confetti"], input: frames)
        #expect(result.standardOutputData.count == frames.count)
        #expect(result.standardOutputData != frames)
        let events = try JSONValue.lines(of: result.standardError)
        #expect(
            events.compactMap { $0["event"]?.string } == [
                "streamStarted", "effectStarted", "effectsInProgress", "effectEnded", "effectsInProgress",
                "streamEnded",
            ])
        let refused = try await example.run(["160", "90", "10", "{}", "konfetti"])
        #expect(refused.exitCode == 1)
        #expect(refused.standardError.contains("konfetti"))
    }

    /// The program of the guide draws each frame on a picture of its own: after the effect, the picture is plain again.
    @Test func theProgramOfTheGuideShowsAnEffect() async throws {
        let guide = try String(contentsOf: Repository.root.appending(path: "docs/c-library.md"), encoding: .utf8)
        let start = try #require(guide.range(of: "Write `reaction.c`:\n\n   ```c\n"))
        let end = try #require(guide.range(of: "\n   ```\n", range: start.upperBound..<guide.endIndex))
        let program = String(guide[start.upperBound..<end.lowerBound])
        let loop = "i < 90;"
        #expect(program.contains(loop))
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "reaction.c")
            try Data(program.replacing(loop, with: "i < 300;").utf8).write(to: file)
            let reaction = try await LibraryBuild.compile(file.path, to: "reaction", ["-std=c11"])
            let frames = try await reaction.succeed([]).standardOutputData
            let size = 640 * 360 * 4
            #expect(frames.count == 300 * size)
            let plain = Data(repeating: 64, count: size)
            #expect(frames.dropFirst(60 * size).prefix(size) != plain)
            #expect(frames.suffix(size) == plain)
        }
    }
}
