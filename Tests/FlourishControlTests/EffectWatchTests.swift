import Flourish
import Foundation
import TestSupport
import Testing

@testable import FlourishControl

@Suite("Changed effects during a review")
struct EffectWatchTests {
    private static let snow =
        ##"{"type": "snow", "emitters": [{"count": 1, "shape": "disc", "colours": ["#ffffff"]}]}"##

    private func field(_ board: ReviewBoard, _ name: String) -> JSONValue? {
        guard case .object(let fields) = board[.effects] else { return nil }
        return fields[name]
    }

    @Test func changedFilesAndTheirFaultsArePublished() throws {
        try withTemporaryFolder { folder in
            var configuration = Configuration()
            configuration.resources = Resources(
                assets: Repository.root.appending(path: "Assets").path, effectFolders: [folder.path])
            let board = ReviewBoard()
            let watch = EffectWatch(configuration, board: board)
            watch.check()
            #expect(board[.effects] == .null && watch.revision == 0)

            let file = folder.appending(path: "snow.json")
            try Data(Self.snow.utf8).write(to: file)
            watch.check()
            #expect(field(board, "revision") == .integer(1) && field(board, "fault") == .null)
            guard case .array(let types)? = field(board, "types") else {
                Issue.record("no types")
                return
            }
            #expect(types.contains(.object(["name": .text("snow"), "duration": .number(4)])))

            try Data(Self.snow.replacing("disc", with: "disk").utf8).write(to: file)
            watch.check()
            guard case .text(let fault)? = field(board, "fault") else {
                Issue.record("no fault")
                return
            }
            #expect(field(board, "revision") == .integer(2) && fault.contains("snow.json"))
            watch.check()
            #expect(watch.revision == 2)

            // A sprite beside the description counts, too.
            try Data("<svg/>".utf8).write(to: folder.appending(path: "star.svg"))
            watch.check()
            #expect(watch.revision == 3)
        }
    }
}
