import Flourish
import Foundation
import TestSupport
import Testing

@testable import FlourishControl

@Suite struct ControlServerTests {
    /// A server whose session does not run.
    private func withServer(_ body: (_ path: String, _ desk: ControlDesk) throws -> Void) throws {
        try withTemporaryFolder { folder in
            var configuration = Configuration()
            configuration.resources = Resources(assets: Repository.root.appending(path: "Assets").path)
            let desk = ControlDesk(session: ReactionSession(configuration: configuration))
            let path = folder.path + "/c.sock"
            let server = try ControlServer(path: path, desk: desk)
            defer { server.stop() }
            try body(path, desk)
        }
    }

    @Test func propertiesAreReadAndChanged() throws {
        try withServer { path, desk in
            let client = try RawClient(path)
            let set = try client.ask(#"{"command":"set","name":"gestures.victory","value":false,"request_id":1}"#)
            #expect(set?["error"]?.string == "success" && set?["request_id"]?.integer == 1)
            #expect(desk.session.disabledGestures == [.victory])
            let all = try #require(try client.ask(#"{"command":"get"}"#)?["data"])
            #expect(all["gestures.victory"]?.boolean == false && all["gestures.heart"]?.boolean == true)
            #expect(all["availableReactionTypes"]?.array?.count == 8)
            for (name, value) in [("intensity", "0.5"), ("calm", "true"), ("reactionEffectsEnabled", "false")] {
                _ = try client.ask(#"{"command":"set","name":"\#(name)","value":\#(value)}"#)
            }
            #expect(desk.session.style == ReactionStyle(intensity: 0.5, isCalm: true))
            #expect(!desk.session.reactionEffectsEnabled)
            for bad in [
                #""intensity","value":7"#, #""calm","value":"maybe""#, #""speed","value":1"#,
                #""availableReactionTypes","value":1"#,
            ] {
                let answer = try client.ask(#"{"command":"set","name":\#(bad)}"#)
                #expect(answer?["error"]?.string != "success", "\(bad)")
            }
        }
    }

    @Test func performingWithoutAVideoSaysSo() throws {
        try withServer { path, _ in
            let client = try RawClient(path)
            let answer = try client.ask(#"{"command":"perform","reactionType":"rain"}"#)
            #expect(answer?["error"]?.string?.contains("no video") == true)
            let unknown = try client.ask(#"{"command":"perform","reactionType":"applause"}"#)
            #expect(unknown?["error"]?.string?.contains("applause") == true)
        }
    }

    @Test func observersHearOfChangesAndOfTheEnd() throws {
        try withTemporaryFolder { folder in
            let desk = ControlDesk(session: ReactionSession())
            let server = try ControlServer(path: folder.path + "/c.sock", desk: desk)
            let client = try RawClient(folder.path + "/c.sock")
            #expect(try client.ask(#"{"command":"observe"}"#)?["error"]?.string == "success")
            #expect(try client.line()?["event"]?.string == "effectsInProgress")
            #expect(try client.ask(#"{"command":"observe"}"#)?["error"]?.string?.contains("already") == true)
            client.endSending()
            desk.feed.publishChange(of: "calm", to: .flag(true))
            #expect(try client.line()?["event"]?.string == "propertyChanged")
            desk.feed.publishChange(of: "calm", to: .flag(false))
            server.stop()
            #expect(try client.line()?["value"]?.boolean == false, "what was told before the end still comes")
            #expect(try client.line() == nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test func requestsBeforeTheClientLeavesAreStillDone() throws {
        try withServer { path, desk in
            let client = try RawClient(path)
            client.send(#"{"command":"set","name":"calm","value":true}"#)
            client.send(#"{"command":"quit"}"#)
            client.endSending()
            while try client.line() != nil {}
            #expect(desk.session.style.isCalm && desk.hasQuit)
        }
    }
}
