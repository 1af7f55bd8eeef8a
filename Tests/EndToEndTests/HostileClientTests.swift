@testable import FlourishControl
import Foundation
import TestSupport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Clients that violate the protocol while a video is processed.
@Suite("Hostile clients") struct HostileClientTests {
    /// Connects and sends without waiting for long; data that does not fit is dropped.
    private func connect(_ path: String, sending bytes: [UInt8] = []) -> LocalSocket? {
        guard let socket = LocalSocket(), socket.connect(to: path) == 0 else { return nil }
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(socket.descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var rest = bytes[...]
        while !rest.isEmpty, let count = socket.write(rest) { rest = rest.dropFirst(count) }
        return socket
    }

    private static let attacks: [(String, [UInt8])] = {
        var generator = SeededGenerator(seed: 9)
        let noise = (0..<1_000_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        func text(_ text: String) -> [UInt8] { Array(text.utf8) }
        return [
            ("binary noise", noise),
            ("one endless line", [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)),
            ("half a line", text(#"{"command": "perfo"#)),
            ("deep JSON", text(String(repeating: #"{"command":["#, count: 5000) + "\n")),
            ("brackets without end", text(String(repeating: "[", count: 100_000) + "\n")),
            ("empty lines", [UInt8](repeating: UInt8(ascii: "\n"), count: 200_000)),
            ("numbers beyond all", text(#"{"command":"set","name":"intensity","value":1e999}"# + "\n")),
            (
                "a flood of requests",
                text(String(repeating: #"{"command":"perform","reactionType":"heart"}"# + "\n", count: 2000))
            ),
            ("a flood of mistakes", text(String(repeating: "{}\n", count: 5000))),
        ]
    }()

    @Test func hostileRequestsDoNotDisturbTheVideo() async throws {
        try await Workbench.with { bench in
            let path = bench.folder.path + "/c.sock"
            let run = try await bench.startLongRun(["--control", "c.sock"])
            // None of them reads an answer, and all of them stay.
            let stuck = HeldSockets()
            for (_, bytes) in Self.attacks {
                if let socket = connect(path, sending: bytes) { stuck.hold(socket) }
            }
            for _ in 0..<100 {
                if let socket = connect(path, sending: Array("{\"command\":\"observe\"}\n".utf8)) { stuck.hold(socket) }
            }
            let frames = run.framesSoFar
            try await bench.waits { run.framesSoFar > frames + 200 }

            let client = try ControlClient(path: path)
            _ = try client.ask(["command": .text("set"), "name": .text("calm"), "value": .flag(true)])
            #expect(try client.ask(["command": .text("get"), "name": .text("calm")]) == .flag(true))
            _ = try client.ask(["command": .text("quit")])
            let result = try await run.result()
            #expect(result.exitCode == 0, "\(result.standardError)")
            let events = try EventLines(String(decoding: bench.bytes("events.jsonl"), as: UTF8.self))
            #expect(try await bench.report("out.mkv").frameTimes.count == events.ended["framesOut"]?.integer)
            stuck.release()
        }
    }

    @Test func excessConnectionsAreRejected() async throws {
        try await DescriptorTestLock.exclusively { try await openExcessConnections() }
    }

    private func openExcessConnections() async throws {
        try await Workbench.with { bench in
            let path = bench.folder.path + "/c.sock"
            let run = try await bench.startLongRun(["--control", "c.sock"])
            let stuck = HeldSockets()
            for _ in 0..<900 {
                if let socket = connect(path) { stuck.hold(socket) }
            }
            #expect(stuck.count > ControlServer.maximumClients)
            let reported = connect(path)?.read(maximum: 4096).map { String(decoding: $0, as: UTF8.self) }
            #expect(reported?.contains("512 clients") == true)
            let frames = run.framesSoFar
            try await bench.waits { run.framesSoFar > frames + 200 }
            stuck.release()
            // The slots are free again once the server has seen the connections close.
            try await bench.waits {
                (try? ControlClient(path: path).ask(["command": .text("get"), "name": .text("calm")])) != nil
            }
            _ = try ControlClient(path: path).ask(["command": .text("quit")])
            #expect(try await run.result().exitCode == 0)
        }
    }
}

/// Connections whose data is never read.
final class HeldSockets {
    private var descriptors: [Int32] = []

    var count: Int { descriptors.count }

    func hold(_ socket: consuming LocalSocket) {
        // The socket closes its own.
        descriptors.append(dup(socket.descriptor))
    }

    func release() {
        for descriptor in descriptors { close(descriptor) }
        descriptors = []
    }

    deinit { release() }
}
