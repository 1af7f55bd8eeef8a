import Foundation
import Platform
import Testing
import TestSupport

@testable import Flourish

@Suite("Batches")
struct BatchTests {
    @Test(arguments: [
        ("{stem}-reacted{ext}", "call.MP4", "call-reacted.MP4"), ("{stem}{ext}", "call.tar.mov", "call.tar.mov"),
        ("{stem}{ext}", "call", "call.mkv"), ("{stem}{ext}", "call.wmv", "call.mkv"),
        ("{stem}{ext}", ".call", ".call.mkv"), ("new {name}", "call.mp4", "new call.mp4"),
        ("{stem}.webm", "call.mp4", "call.webm"),
    ])
    func outputsAreNamedAfterInputs(_ template: String, _ input: String, _ output: String) throws {
        #expect(try NameTemplate(template).name(for: Array(input.utf8)) == Array(output.utf8))
    }

    @Test(arguments: ["out.mp4", "{stem", "{folder}{stem}", "a/{stem}", ""])
    func invalidTemplatesAreRefused(_ template: String) {
        #expect(throws: FlourishError.self) { try NameTemplate(template) }
    }

    @Test func pathsMayContainAnyBytes() {
        #expect("\(BatchPath(bytes: [0x63, 0xE9, 0x2E, 0x6D]))" == "c\\xE9.m")
        #expect(BatchPath(bytes: [0x63, 0xE9]).text == nil)
        #expect(BatchPath("a/").appending(Array("b".utf8)) == BatchPath("a/b"))
        #expect(BatchPath("a/b").name == Array("b".utf8))
    }

    private func record(_ output: String) -> JournalRecord {
        JournalRecord(
            output: output, state: .done, source: "/in/\(output)", size: 1, modified: 2, fingerprint: "f",
            settings: "s",
            bytes: 3)
    }

    private func open(_ folder: URL) throws -> BatchJournal {
        let lock = RegionLock(descriptor: try RawFile.open(Array((folder.path + "/lock").utf8), O_RDWR | O_CREAT))
        return try BatchJournal(Array((folder.path + "/journal").utf8), lock: lock, isWritten: true)
    }

    @Test func truncatedJournalsAreContinued() throws {
        try withTemporaryFolder { folder in
            let journal = try open(folder)
            for name in ["a", "b", "c"] { #expect(journal.add(record(name)) == 0) }
            let file = folder.appending(path: "journal")
            let whole = try Data(contentsOf: file)
            try whole.dropLast(20).write(to: file)
            let again = try open(folder)
            #expect(again["a"] == record("a") && again["b"] == record("b") && again["c"] == nil)
            #expect(again.add(record("d")) == 0)
            let last = try open(folder)
            #expect(["a", "b", "c", "d"].map { last[$0] != nil } == [true, true, false, true])
        }
    }

    @Test func runsReadEntriesOfOtherRuns() throws {
        try withTemporaryFolder { folder in
            let (one, other) = (try open(folder), try open(folder))
            #expect(one.add(record("a")) == 0)
            #expect(other["a"] == nil)
            other.refresh()
            #expect(other["a"] == record("a"))
        }
    }

    @Test func claimsAreExclusive() throws {
        try withTemporaryFolder { folder in
            let path = BatchPath(folder.path)
            let (one, other) = (try BatchFolder.opened(path), try BatchFolder.opened(path))
            let name = Array("a.mp4".utf8)
            #expect(one.claim(name) && !other.claim(name))
            one.release(name)
            #expect(other.claim(name))
            // The working folder of another run is never deleted.
            #expect(FileManager.default.fileExists(atPath: "\(try #require(one.work))"))
        }
    }

    @Test func relevantSettingsChangeTheFingerprint() {
        func text(_ change: (inout BatchRequest) -> Void) -> String {
            var request = BatchRequest(["a"], into: "out")
            change(&request)
            return request.settingsText
        }
        let usual = text { _ in }
        #expect(
            text {
                $0.configuration.overwrite = true; $0.jobs = 3; $0.inputs = []
            } == usual)
        #expect(text { $0.configuration.hold = 0.7 } != usual)
        #expect(text { $0.configuration.disabledGestures = [.victory] } != usual)
        #expect(text { $0.configuration.scheduledReactions = [ScheduledReaction(.heart)] } != usual)
        #expect(text { $0.configuration.input.start = 1 } != usual)
        #expect(text { $0.product = .plan } != usual)
    }

    /// The call of a program that uses the library.
    @Test func theLibraryRunsBatches() async throws {
        try await withTemporaryFolder { folder in
            for name in ["a", "b"] {
                _ = try await FFmpegTool.ffmpeg([
                    "-f", "lavfi", "-i", "testsrc2=size=96x64:rate=10:duration=1", "-pix_fmt", "yuv420p",
                    "\(folder.path)/\(name).mp4",
                ])
            }
            var configuration = Configuration()
            configuration.gesturesEnabled = false
            let request = BatchRequest([folder.path], into: folder.path + "/out", configuration: configuration)
            #expect(try await BatchRun(request).preview().count(.open) == 2)
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/out"))
            let reported = Slot<[String]>([])
            let report = try await BatchRun(request).run(
                observer: BatchObserver(result: { reported.value.append("\($0.state)") }))
            #expect(report.count(.done) == 2 && reported.value == ["done", "done"])
            let again = try await BatchRun(request).run()
            #expect(again.count(.skipped) == 2 && again.results.allSatisfy(\.isFromBefore))
        }
    }
}
