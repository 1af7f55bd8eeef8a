import Foundation
import Testing
import TestSupport

@testable import Platform

@Suite("Stale temporary files")
struct StaleTemporaryFilesTests {
    /// The number of a process that has ended.
    private func goneProcess() throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/true")
        try process.run()
        process.waitUntilExit()
        return process.processIdentifier
    }

    @Test func filesOfEndedProcessesAreRemoved() throws {
        try withTemporaryFolder { folder in
            let gone = try goneProcess()
            let (own, init1) = (getpid(), 1)
            let others = [
                ".out.mp4.partial-\(own)", ".out.mp4.partial-\(init1)", ".other.mp4.partial-\(gone)", "out.partial.mp4",
                ".out.mp4.partial-", ".out.mp4.partial-\(gone)x", "out.mp4",
            ]
            let left = ".out.mp4.partial-\(gone)"
            for name in others + [left] { try Data().write(to: folder.appending(path: name)) }
            let removed = TemporaryFile.removeLeftovers(of: folder.appending(path: "out.mp4").path)
            #expect(removed == [folder.appending(path: left).path])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == others.sorted())
            #expect(TemporaryFile.removeLeftovers(of: folder.path + "/nowhere/out.mp4").isEmpty)
        }
    }

    @Test func foldersOfEndedProcessesAreRemoved() throws {
        try withTemporaryFolder { folder in
            let gone = try goneProcess()
            let others = ["flourish-review-\(getpid())-abcdef", "flourish-review-1-abcdef", "flourish-review-abcdef"]
            let left = "flourish-review-\(gone)-abcdef"
            for name in others + [left] {
                let place = folder.appending(path: name)
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
                try Data().write(to: place.appending(path: "preview-1.mp4"))
            }
            // Links are never followed.
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: "flourish-review-\(gone)-linked"),
                withDestinationURL: folder.appending(path: others[2]))
            let made = try #require(ScratchFolder.make("flourish-review", in: folder.path))
            #expect(made.hasPrefix(folder.appending(path: "flourish-review-\(getpid())-").path))
            let now = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            let name = URL(filePath: made).lastPathComponent
            #expect(now == (others + [name, "flourish-review-\(gone)-linked"]).sorted())
            for other in others {
                #expect(FileManager.default.fileExists(atPath: folder.path + "/\(other)/preview-1.mp4"))
            }
            try Data().write(to: folder.appending(path: "\(name)/pipe"))
            #expect(ScratchFolder.remove(made) && !FileManager.default.fileExists(atPath: made))
        }
    }

    /// A folder, which cannot be hard linked, simulates a file system without links.
    @Test func unsupportedLinksLeaveTheNameFree() throws {
        try withTemporaryFolder { folder in
            let path = Array((folder.path + "/out.txt").utf8)
            let error = #expect(throws: RawFileError.self) {
                try RawFile.publish(Array(folder.path.utf8), as: path, replaces: false)
            }
            #expect(error?.number != EEXIST)
            let names = try RawFile.names(in: Array(folder.path.utf8))
            #expect(names.isEmpty)
        }
    }

    @Test func removedUnfinishedFilesAreReported() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "out.txt").path
            let temporary = try TemporaryFile.fill([1], for: path)
            try FileManager.default.removeItem(atPath: temporary)
            for overwrite in [false, true] {
                let error = #expect(throws: FileError.self) {
                    try TemporaryFile.publish(temporary, as: path, overwrite: overwrite)
                }
                #expect(error?.code == .io && error?.message.contains("removed by another program") == true)
            }
        }
    }
}
