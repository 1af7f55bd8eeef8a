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

@Suite struct ControlServerTests {
    /// Starts a server whose session does not run.
    private func withServer(
        _ configuration: Configuration = Configuration(),
        _ body: (_ path: String, _ handler: CommandHandler) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            var configuration = configuration
            configuration.resources = Resources(assets: Repository.root.appending(path: "Assets").path)
            let handler = CommandHandler(session: ReactionSession(configuration: configuration))
            let path = folder.path + "/c.sock"
            let server = try ControlServer(path: path, handler: handler)
            defer { server.stop() }
            try body(path, handler)
        }
    }

    @Test func propertiesAreReadAndChanged() throws {
        try withServer { path, handler in
            let client = try RawClient(path)
            let set = try client.ask(#"{"command":"set","name":"gestures.victory","value":false,"request_id":1}"#)
            #expect(set?["error"]?.string == "success" && set?["request_id"]?.integer == 1)
            #expect(handler.session.disabledGestures == [.victory])
            let all = try #require(try client.ask(#"{"command":"get"}"#)?["data"])
            #expect(all["gestures.victory"]?.boolean == false && all["gestures.heart"]?.boolean == true)
            #expect(all["availableReactionTypes"]?.array?.count == 8)
            for (name, value) in [("intensity", "0.5"), ("calm", "true"), ("reactionEffectsEnabled", "false")] {
                _ = try client.ask(#"{"command":"set","name":"\#(name)","value":\#(value)}"#)
            }
            #expect(handler.session.style == ReactionStyle(intensity: 0.5, isCalm: true))
            #expect(!handler.session.reactionEffectsEnabled)
            for bad in [
                #""intensity","value":7"#, #""calm","value":"maybe""#, #""speed","value":1"#,
                #""availableReactionTypes","value":1"#,
            ] {
                let answer = try client.ask(#"{"command":"set","name":\#(bad)}"#)
                #expect(answer?["error"]?.string != "success", "\(bad)")
            }
        }
    }

    @Test(arguments: [
        ("calm", "effects.calm", "true"), ("intensity", "effects.intensity", "0.5"),
        ("reactionEffectsEnabled", "effects.reactions", "false"), ("gestures.victory", "recognition.disabled", "false"),
        ("reactionEffectGesturesEnabled", "recognition.gestures", "false"),
        ("gestureSnooze", "recognition.gestures", "5"),
    ])
    func settingsLockedByTheSystemFileCannotBeChanged(_ name: String, _ setting: String, _ value: String) throws {
        var configuration = Configuration()
        configuration.locks.files = [setting: "/etc/flourish.toml"]
        try withServer(configuration) { path, _ in
            let client = try RawClient(path)
            let before = try client.ask(#"{"command":"get","name":"\#(name)"}"#)?["data"]
            let answer = try client.ask(#"{"command":"set","name":"\#(name)","value":\#(value)}"#)
            #expect(answer?["error"]?.string?.contains("/etc/flourish.toml locks \(setting)") == true)
            #expect(try client.ask(#"{"command":"get","name":"\#(name)"}"#)?["data"] == before)
        }
    }

    @Test func gesturesCanBeSnoozed() throws {
        try withServer { path, handler in
            let client = try RawClient(path)
            let (_, cursor) = handler.feed.join()
            for (value, seconds) in [("true", 300.0), ("12.5", 12.5), (#""on""#, 300), ("86400", 86_400)] {
                let answer = try client.ask(#"{"command":"set","name":"gestureSnooze","value":\#(value)}"#)
                #expect(answer?["error"]?.string == "success", "\(value)")
                #expect(handler.session.gestureSnooze == seconds)
                #expect(try client.ask(#"{"command":"get","name":"gestureSnooze"}"#)?["data"]?.number == seconds)
            }
            for value in ["-1", "86401", #""soon""#] {
                let answer = try client.ask(#"{"command":"set","name":"gestureSnooze","value":\#(value)}"#)
                #expect(answer?["error"]?.string?.contains("gestureSnooze") == true, "\(value)")
            }
            for value in ["null", "0", "false"] {
                handler.session.snoozeGestures(for: 300)
                let answer = try client.ask(#"{"command":"set","name":"gestureSnooze","value":\#(value)}"#)
                #expect(answer?["error"]?.string == "success", "\(value)")
                #expect(handler.session.gestureSnooze == nil)
            }
            var place = cursor
            let reported = handler.feed.read(from: &place)
            #expect(reported.allSatisfy { $0.contains("\"propertyChanged\"") } && reported.count == 7)
            #expect(reported.last?.contains("\"value\":null") == true)
        }
    }

    @Test func onlyRunningEffectsCanBeCancelledByNumber() throws {
        try withServer { path, _ in
            let answer = try RawClient(path).ask(#"{"command":"cancel","id":3}"#)
            #expect(answer?["error"]?.string?.contains("number 3") == true)
        }
    }

    @Test func unknownValuesAreNull() throws {
        try withServer { path, _ in
            let client = try RawClient(path)
            for name in ["gestureHold", "gestureSnooze", "quality", "input", "progress"] {
                #expect(try client.ask(#"{"command":"get","name":"\#(name)"}"#)?["data"] == .null, "\(name)")
            }
        }
    }

    @Test func switchesAcceptWords() throws {
        try withServer { path, handler in
            let client = try RawClient(path)
            for (value, isOn) in [(#""on""#, true), (#""off""#, false), ("true", true), ("false", false)] {
                let answer = try client.ask(#"{"command":"set","name":"calm","value":\#(value)}"#)
                #expect(answer?["error"]?.string == "success" && handler.session.style.isCalm == isOn, "\(value)")
            }
            #expect(try client.ask(#"{"command":"set","name":"calm","value":1}"#)?["error"]?.string != "success")
        }
    }

    @Test func progressIsReported() throws {
        try withServer { path, handler in
            handler.record(SessionProgress(frames: 50, seconds: 2, duration: 8, effects: 0))
            let progress = try RawClient(path).ask(#"{"command":"get","name":"progress"}"#)?["data"]
            #expect(progress?["seconds"]?.number == 2 && progress?["duration"]?.number == 8)
            #expect(progress?["fraction"]?.number == 0.25)
            #expect((progress?["remainingSeconds"]?.number ?? -1) >= 0)
            handler.record(SessionProgress(frames: 50, seconds: 2, duration: nil, effects: 0))
            let live = try RawClient(path).ask(#"{"command":"get","name":"progress"}"#)?["data"]
            #expect(live?["fraction"] == .null && live?["remainingSeconds"] == .null)
        }
    }

    @Test func performingWithoutAVideoIsAnError() throws {
        try withServer { path, _ in
            let client = try RawClient(path)
            let answer = try client.ask(#"{"command":"perform","reactionType":"rain"}"#)
            #expect(answer?["error"]?.string?.contains("no video") == true)
            let unknown = try client.ask(#"{"command":"perform","reactionType":"applause"}"#)
            #expect(unknown?["error"]?.string?.contains("applause") == true)
        }
    }

    @Test func observersReceiveChangesAndTheEnd() throws {
        try withTemporaryFolder { folder in
            let handler = CommandHandler(session: ReactionSession())
            let server = try ControlServer(path: folder.path + "/c.sock", handler: handler)
            let client = try RawClient(folder.path + "/c.sock")
            #expect(try client.ask(#"{"command":"observe"}"#)?["error"]?.string == "success")
            #expect(try client.line()?["event"]?.string == "effectsInProgress")
            #expect(try client.ask(#"{"command":"observe"}"#)?["error"]?.string?.contains("already") == true)
            client.endSending()
            handler.feed.publishChange(of: "calm", to: .flag(true))
            #expect(try client.line()?["event"]?.string == "propertyChanged")
            handler.feed.publishChange(of: "calm", to: .flag(false))
            server.stop()
            #expect(try client.line()?["value"]?.boolean == false, "what was reported before the end still comes")
            #expect(try client.line() == nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test func everyLineIsAnswered() throws {
        try withServer { path, _ in
            let client = try RawClient(path)
            for line in ["", " ", "{}"] {
                #expect(try client.ask(line)?["error"]?.string?.isEmpty == false, "\(line)")
            }
        }
    }

    /// Back-pressure: unread answers are not buffered, and the client's requests wait.
    @Test func clientsThatReadNoAnswersAreThrottled() throws {
        try withServer { path, handler in
            let client = try RawClient(path)
            var limit = timeval(tv_sec: 1, tv_usec: 0)
            unsafe setsockopt(
                client.socket.descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            client.send(String(repeating: #"{"command":"get"}"# + "\n", count: 100_000))
            client.send(#"{"command":"quit"}"#)
            #expect(!handler.hasQuit)
            let other = try RawClient(path)
            #expect(try other.ask(#"{"command":"get","name":"calm"}"#)?["error"]?.string == "success")
        }
    }

    @Test func requestsBeforeADisconnectAreProcessed() throws {
        try withServer { path, handler in
            let client = try RawClient(path)
            client.send(#"{"command":"set","name":"calm","value":true}"#)
            client.send(#"{"command":"quit"}"#)
            client.endSending()
            while try client.line() != nil {}
            #expect(handler.session.style.isCalm && handler.hasQuit)
        }
    }
}
