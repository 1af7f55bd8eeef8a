import Foundation
import Testing
import TestSupport

@testable import Reactions

@Suite struct EventLogTests {
    private let event = ReactionEvent(time: 1, frame: 2, kind: .effectsInProgress([]))

    @Test func filesAreTruncatedByTheFirstEvent() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "events.jsonl").path
            try "precious\n".write(toFile: path, atomically: true, encoding: .utf8)
            var log: EventLog? = try EventLog(path: path)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious\n")
            log?.write(event)
            log = nil
            #expect(try String(contentsOfFile: path, encoding: .utf8) == event.jsonLine + "\n")
        }
    }

    @Test func newFilesWithoutEventsAreRemoved() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "events.jsonl").path
            var log: EventLog? = try EventLog(path: path)
            #expect(log != nil && FileManager.default.fileExists(atPath: path))
            log = nil
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func filesWithoutEventsAreRemovedAlthoughALogIsHeld() throws {
        try withTemporaryFolder { folder in
            for hasEvent in [false, true] {
                let path = folder.appending(path: "events.jsonl").path
                let log = try EventLog(path: path)
                if hasEvent { log.write(event) }
                log.removeIfUnused()
                #expect(FileManager.default.fileExists(atPath: path) == hasEvent)
                withExtendedLifetime(log) {}
            }
        }
    }
}
