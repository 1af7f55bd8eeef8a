import Flourish
import Foundation
import TestSupport
import Testing

@testable import FlourishControl

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite struct ControlSocketFileTests {
    private func refusal(_ path: String) -> FlourishError? {
        #expect(throws: FlourishError.self) { _ = try ControlSocketFile(path: path) }
    }

    @Test func onlyTheOwnerMayConnect() throws {
        try withTemporaryFolder { folder in
            let previous = umask(0)
            defer { umask(previous) }
            let path = folder.path + "/c.sock"
            let file = try ControlSocketFile(path: path)
            var info = stat()
            #expect(unsafe lstat(path, &info) == 0 && info.st_mode & 0o777 == 0o600)
            #expect(unsafe lstat(path + ".lock", &info) == 0 && info.st_mode & 0o777 == 0o600)
            withExtendedLifetime(file) {}
        }
    }

    @Test func foreignFilesAreKept() throws {
        try withTemporaryFolder { folder in
            let path = folder.path + "/c.sock"
            try Data("precious".utf8).write(to: URL(filePath: path))
            #expect(refusal(path)?.code == .outputUnavailable)
            #expect(try Data(contentsOf: URL(filePath: path)) == Data("precious".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["c.sock"])

            // Another program's socket: one that answers, and one that does not.
            let other = folder.path + "/other.sock"
            var socket = LocalSocket()
            try #require(socket?.bind(to: other) == 0)
            #expect(refusal(other)?.message.contains("another program") == true)
            socket = nil
            #expect(refusal(other)?.message.contains("another program") == true)
            #expect(FileManager.default.fileExists(atPath: other))

            // A link that leads elsewhere is not followed.
            let link = folder.path + "/link.sock"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path + "/nowhere")
            #expect(refusal(link) != nil)
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/nowhere"))
        }
    }

    @Test func staleSocketsAreReplaced() throws {
        try withTemporaryFolder { folder in
            let path = folder.path + "/c.sock"
            var socket = LocalSocket()
            try #require(socket?.bind(to: path) == 0)
            socket = nil
            try Data().write(to: URL(filePath: path + ".lock"))
            let file = try ControlSocketFile(path: path)
            #expect(LocalSocket()!.connect(to: path) == 0)
            #expect(refusal(path)?.message.contains("another flourish") == true)
            withExtendedLifetime(file) {}
        }
    }

    @Test func badPathsAreRefusedInOneLine() throws {
        for path in ["", "/tmp/" + String(repeating: "x", count: 200), "/no/such/folder/c.sock"] {
            #expect(refusal(path)?.message.contains("\n") == false)
        }
    }
}
