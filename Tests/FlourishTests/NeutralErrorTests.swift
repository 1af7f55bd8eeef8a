import Foundation
import Testing
import TestSupport

@testable import Flourish

@Suite("Library errors without command-line terms")
struct NeutralErrorTests {
    @Test(arguments: FlourishError.Remedy.allCases)
    func remediesNameLibraryCalls(_ remedy: FlourishError.Remedy) {
        let error = FlourishError(.usage, "call.mp4: trouble", remedy: remedy)
        #expect(error.message.hasPrefix("call.mp4: trouble; ") && !error.message.contains("--"))
        #expect(error.problem == "call.mp4: trouble")
    }

    @Test func existingOutputsAreReplacedBySetting() throws {
        try withTemporaryFolder { folder in
            let path = folder.path + "/out.mp4"
            try Data().write(to: URL(filePath: path))
            do throws(FlourishError) {
                try OutputCheck.check(path, input: "in.mp4", overwrite: false)
                Issue.record("it was not refused")
            } catch {
                #expect(error.message == "\(path): exists already; set Configuration.overwrite to replace it")
            }
        }
    }

    /// The assets are in another folder than a program that depends on the package.
    @Test func assetsAreFoundInThePackage() {
        let resources = Resources.located(environment: [:], executable: "/usr/bin/other")
        #expect(resources.assets == Repository.root.appending(path: "Assets").path)
    }

    @Test func progressIsASequence() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.path + "/call.mp4"
            _ = try await FFmpegTool.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=10:duration=3", "-pix_fmt", "yuv420p", input,
            ])
            var configuration = Configuration()
            configuration.gesturesEnabled = false
            let session = ReactionSession(configuration: configuration)
            let progress = session.progress
            let fractions = Task {
                var fractions: [Double] = []
                for await step in progress { fractions.append(step.fraction ?? -1) }
                return fractions
            }
            let outcome = try await session.filter(input, to: folder.path + "/out.mp4")
            #expect(outcome.output == folder.path + "/out.mp4")
            let reported = await fractions.value
            #expect(
                !reported.isEmpty && reported == reported.sorted() && (0.9...1).contains(reported.last ?? 0),
                "\(reported)")
            var late = session.progress.makeAsyncIterator()
            #expect(await late.next() == nil)
        }
    }
}
