import Flourish
import Foundation
import Testing
import TestSupport

@Suite struct LibraryExampleTests {
    @Test func theFrontPageShowsTheCompiledExample() throws {
        let page = try text("Sources/Flourish/Flourish.docc/Flourish.md")
        let compiled = try text("Tests/FlourishTests/LibraryExample.swift")
        let example = try #require(page.components(separatedBy: "```swift\n").dropFirst().first)
            .components(separatedBy: "```")[0]
        let start = try #require(compiled.range(of: "import Flourish"))
        #expect(compiled[start.lowerBound...] == example)
        #expect(example.split(separator: "\n").count <= 20)
    }

    @Test func theExampleRunsScheduledReactions() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.path + "/call.mp4"
            _ = try await FFmpegTool.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=10:duration=3", "-pix_fmt", "yuv420p", input,
            ])
            #expect(try await react(to: input, writing: folder.path + "/reacted.mp4") == 1)
        }
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
    }
}
