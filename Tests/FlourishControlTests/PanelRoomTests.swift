import Foundation
import TestSupport
import Testing

@testable import FlourishControl

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite struct PanelRoomTests {
    /// Makes a folder as a panel does, with a socket in it.
    private func makeRoom(_ name: String, in parent: URL, age: Double) throws -> LocalSocket {
        let folder = parent.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        guard let socket = LocalSocket(), socket.bind(to: folder.path + "/http") == 0, listen(socket.descriptor, 1) == 0
        else {
            throw CocoaError(.fileWriteUnknown)
        }
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: folder.path)
        return socket
    }

    @Test func whatAKilledRunLeftIsRemovedAndNothingElse() throws {
        try withTemporaryFolder { parent in
            // Their sockets are closed at once, but for the one that is kept.
            _ = try makeRoom("flourish-killed", in: parent, age: 3600)
            _ = try makeRoom("flourish-young0", in: parent, age: 0)
            _ = try makeRoom("flourish-another", in: parent, age: 3600)
            let alive = try makeRoom("flourish-alive0", in: parent, age: 3600)
            try FileManager.default.createDirectory(
                at: parent.appending(path: "flourish-empty0"), withIntermediateDirectories: false)
            func names() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: parent.path).sorted()
            }
            let others = ["flourish-alive0", "flourish-another", "flourish-empty0", "flourish-young0"]
            do {
                let room = try PanelRoom(in: parent.path)
                #expect(try names().count == others.count + 1)
                #expect(room.socketPath.hasPrefix(parent.path + "/flourish-"))
            }
            #expect(try names() == others)
            #expect(alive.descriptor >= 0)
        }
    }
}
