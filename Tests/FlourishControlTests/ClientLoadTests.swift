import Flourish
import Foundation
import Platform
import TestSupport
import Testing

@testable import FlourishControl

/// Clients of the control socket by the hundred, with requests by the thousand: `Scripts/fuzz clients` sends lines of
/// 100 MB, the tests some of 8 MB, since a client is limited to three megabytes a second.
@Suite("Many clients of the socket", .serialized, .timeLimit(.minutes(Hang.minutes))) struct ClientLoadTests {
    static let isCampaign = ProcessInfo.processInfo.environment["FLOURISH_CLIENTS"] != nil

    private static let get = #"{"command":"get","name":"calm"}"#

    /// Starts a server whose session does not run.
    private func withServer(_ body: (_ path: String, _ handler: CommandHandler) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let handler = CommandHandler(session: ReactionSession())
            let server = try ControlServer(path: folder.path + "/c.sock", handler: handler)
            defer { server.stop() }
            try body(folder.path + "/c.sock", handler)
        }
    }

    @Test func tenThousandRequestsAreAnsweredInSequence() throws {
        try withServer { path, _ in
            let client = try RawClient(path)
            for batch in 0..<100 {
                let numbers = batch * 100..<(batch + 1) * 100
                for number in numbers { client.send(#"{"command":"get","name":"calm","request_id":\#(number)}"#) }
                for number in numbers {
                    let answer = try #require(try client.line())
                    try #require(answer["request_id"]?.integer == number && answer["error"]?.string == "success")
                }
            }
        }
    }

    @Test func fiveHundredClientsAreServedAtOnce() async throws {
        try await DescriptorTestLock.exclusively {
            try withServer { path, _ in
                let clients = try (0..<500).map { _ in try RawClient(path) }
                for client in clients { client.send(Self.get) }
                for client in clients { try #require(try client.line()?["error"]?.string == "success") }
            }
        }
    }

    @Test func anEndlessLineIsOneErrorAndBlocksNoOtherClient() throws {
        try withServer { path, _ in
            let (client, other) = (try RawClient(path), try RawClient(path))
            let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
            for _ in 0..<(Self.isCampaign ? 100 : 8) {
                client.send(piece)
                try #require(try other.ask(Self.get)?["error"]?.string == "success")
            }
            client.send("")
            #expect(try client.line()?["error"]?.string?.contains("longer than \(LineSplitter.longest) bytes") == true)
            #expect(try client.ask(Self.get)?["error"]?.string == "success")
        }
    }

    @Test(arguments: [10_000, 60_000, 100_000]) func deepNestingIsRefused(_ depth: Int) throws {
        try withServer { path, _ in
            let client = try RawClient(path)
            for opening in ["[", #"{"a":"#] {
                let answer = try client.ask(String(repeating: opening, count: depth / opening.utf8.count))
                #expect(answer?["error"]?.string?.isEmpty == false && answer?["error"]?.string != "success")
            }
            #expect(try client.ask(Self.get)?["error"]?.string == "success")
        }
    }

    /// Unread events are stored once for all observers, and only the newest of them.
    @Test func observersThatNeverReadUseNoMemory() async throws {
        try await DescriptorTestLock.exclusively {
            try withServer { path, handler in
                let observers = try (0..<200).map { _ in try RawClient(path) }
                for observer in observers { observer.send(#"{"command":"observe"}"#) }
                let client = try RawClient(path)
                for number in 0..<20_000 { handler.feed.publishChange(of: "calm", to: .flag(number % 2 == 0)) }
                #expect(try client.ask(Self.get)?["error"]?.string == "success")
                // An observer that starts to read late gets the oldest events, and then the newest.
                let late = try #require(observers.last)
                #expect(try late.line()?["error"]?.string == "success")
                #expect(try late.line()?["event"]?.string == "effectsInProgress")
            }
        }
    }
}
