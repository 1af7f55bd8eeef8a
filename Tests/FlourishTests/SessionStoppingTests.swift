import Foundation
import Testing
import TestSupport

@testable import Flourish
@testable import Pipeline
@testable import Reactions

@Suite struct SessionStoppingTests {
    private func clip(in folder: URL) async throws -> String {
        let path = folder.path + "/call.mp4"
        try await FFmpegTool.ffmpeg([
            "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=10:duration=1", "-pix_fmt", "yuv420p", path,
        ])
        return path
    }

    private func makeSession() -> ReactionSession {
        var configuration = Configuration()
        configuration.gesturesEnabled = false
        return ReactionSession(configuration: configuration)
    }

    @Test func aSessionStoppedBeforeItRunsWritesNothing() async throws {
        try await withTemporaryFolder { folder in
            let (input, session) = (try await clip(in: folder), makeSession())
            session.stop()
            let error = await #expect(throws: FlourishError.self) {
                try await session.filter(input, to: folder.path + "/out.mp4")
            }
            #expect(error?.code == .interrupted)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["call.mp4"])
        }
    }

    @Test func cancellingTheTaskStopsTheSession() async throws {
        try await withTemporaryFolder { folder in
            let (input, session) = (try await clip(in: folder), makeSession())
            let output = folder.path + "/out.mp4"
            let run = Task {
                try await session.filter(input, to: output)
            }
            run.cancel()
            let error = await #expect(throws: FlourishError.self) { try await run.value }
            #expect(error?.code == .interrupted)
            #expect(!session.canPerformReactionEffects)
        }
    }

    @Test func performingDoesNothingBeforeTheRunAndRefusesUnknownTypes() throws {
        let session = makeSession()
        #expect(!session.canPerformReactionEffects)
        try session.performEffect(for: .heart)
        #expect(session.reactionEffectsInProgress.isEmpty)
        let error = #expect(throws: FlourishError.self) {
            try session.performEffect(for: ReactionType(rawValue: "applause"))
        }
        #expect(error?.code == .usage)
    }
}
