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
            for (value, seconds) in [("true", 300.0), ("12.5", 12.5), ("86400", 86_400)] {
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
            #expect(reported.allSatisfy { $0.event == "propertyChanged" } && reported.count == 6)
            #expect(reported.last?.text.contains("\"value\":null") == true)
        }
    }

    @Test func typesAndNumbersThatDoNotRunAreRefusedAlike() throws {
        try withServer { path, _ in
            let client = try RawClient(path)
            for field in [#""id":3"#, #""reactionType":"rain""#] {
                let answer = try client.ask("{\"command\":\"cancel\",\(field)}")
                #expect(answer?["code"]?.integer == 203, "\(field)")
            }
            #expect(try client.ask(#"{"command":"cancel"}"#)?["data"]?["ids"]?.array?.isEmpty == true)
            #expect(try client.ask(#"{"command":"cancel","reactionType":"rian"}"#)?["code"]?.integer == 105)
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

    @Test func valuesOfAnotherTypeAreRefused() throws {
        try withServer { path, handler in
            let client = try RawClient(path)
            for (name, value) in [
                ("calm", #""yes""#), ("calm", "1"), ("calm", "null"), ("intensity", #""0.5""#), ("hold", "true"),
                ("hold", "11"), ("cooldown", "-1"), ("sensitivity", "1"), ("sensitivity", #""highest""#),
                ("palette", "7"), ("palette", #"["red"]"#), ("palette", "[]"), ("disabled", #""victory""#),
                ("disabled", "[1]"), ("bindings.victory", "7"), ("gestureSnooze", #""on""#),
            ] {
                let answer = try client.ask("{\"command\":\"set\",\"name\":\"\(name)\",\"value\":\(value)}")
                #expect(answer?["code"]?.integer == 104, "\(name) \(value)")
            }
            for (name, value) in [
                ("palette", #""autum""#), ("palette", #""/etc/palette.json""#), ("disabled", #"["victori"]"#),
                ("bindings.victory", #""confeti""#),
            ] {
                let answer = try client.ask("{\"command\":\"set\",\"name\":\"\(name)\",\"value\":\(value)}")
                #expect(answer?["code"]?.integer == 105, "\(name) \(value)")
            }
            #expect(handler.session.settings == LiveSettings(handler.session.configuration))
        }
    }

    @Test func recognitionIsSetWhileTheSessionRuns() throws {
        try withServer { path, handler in
            let client = try RawClient(path)
            let values =
                #"{"hold":0.5,"cooldown":1,"sensitivity":"high","disabled":["victory","heart"],"bindings.thumbsUp":"rain","palette":"ocean"}"#
            #expect(try client.ask("{\"command\":\"set\",\"values\":\(values)}")?["code"]?.integer == 0)
            let settings = handler.session.settings
            #expect(settings.hold == 0.5 && settings.cooldown == 1 && settings.sensitivity == .high)
            #expect(settings.disabledGestures == [.victory, .heart])
            #expect(settings.reactionType(for: .thumbsUp) == .rain)
            let all = try #require(try client.ask(#"{"command":"get"}"#)?["data"])
            #expect(all["palette"]?.string == "ocean" && all["bindings.thumbsUp"]?.string == "rain")
            #expect(all["disabled"]?.array?.compactMap(\.string) == ["heart", "victory"])
            for reset in [
                #""palette","value":null"#, #""bindings.thumbsUp","value":null"#, ##""palette","value":["#ff8800"]"##,
            ] {
                #expect(try client.ask("{\"command\":\"set\",\"name\":\(reset)}")?["code"]?.integer == 0, "\(reset)")
            }
            #expect(handler.session.settings.reactionType(for: .thumbsUp) == .thumbsUp)
            #expect(handler.session.style.palette?.colours == ["#ff8800"])
        }
    }

    @Test func severalPropertiesAreSetTogetherOrNotAtAll() throws {
        try withServer { path, handler in
            let client = try RawClient(path)
            let before = handler.session.settings
            for bad in [#""hold":99"#, #""speed":1"#, #""statistics":1"#] {
                let answer = try client.ask(#"{"command":"set","values":{"calm":true,"intensity":0.25,\#(bad)}}"#)
                #expect(answer?["code"]?.integer != 0, "\(bad)")
                #expect(handler.session.settings == before, "\(bad)")
            }
        }
    }

    @Test func aBatchIsExecutedInOrder() throws {
        try withServer { path, handler in
            let client = try RawClient(path)
            let requests =
                #"{"command":"set","name":"calm","value":true,"request_id":1},{"command":"jump"},{"command":"get","name":"calm"}"#
            let all = try client.ask("{\"command\":\"batch\",\"requests\":[\(requests)],\"request_id\":\"b\"}")
            #expect(all?["request_id"]?.string == "b" && all?["code"]?.integer == 0)
            #expect(all?["data"]?.array?.compactMap { $0["code"]?.integer } == [0, 101, 0])
            #expect(all?["data"]?.array?.first?["request_id"]?.integer == 1)
            #expect(all?["data"]?.array?.last?["data"]?.boolean == true)
            let some = try client.ask("{\"command\":\"batch\",\"requests\":[\(requests)],\"stopsAtRefusal\":true}")
            #expect(some?["data"]?.array?.count == 2)
            let nested = try client.ask(#"{"command":"batch","requests":[{"command":"batch","requests":[]}]}"#)
            #expect(nested?["data"]?.array?.first?["code"]?.integer == 104)
        }
    }

    @Test func theVersionNamesAllContracts() throws {
        try withServer { path, _ in
            let version = try RawClient(path).ask(#"{"command":"version"}"#)?["data"]
            #expect(version?["version"]?.string == FlourishVersion.number)
            #expect(version?["schemas"]?["events"]?.integer == ReactionEvent.schema)
            #expect(version?["commands"]?.array?.compactMap(\.string) == ControlCommand.names)
        }
    }

    @Test func propertiesAreObserved() throws {
        try withServer { path, handler in
            let client = try RawClient(path)
            #expect(try client.ask(#"{"command":"observe","name":"progress"}"#)?["code"]?.integer == 0)
            let first = try client.line()
            #expect(first?["event"]?.string == "propertyChanged" && first?["value"] == .null)
            handler.record(SessionProgress(frames: 50, seconds: 2, duration: 8, effects: 0))
            #expect(try client.line()?["value"]?["seconds"]?.number == 2)
            #expect(try client.ask(#"{"command":"unobserve","name":"progress"}"#)?["code"]?.integer == 0)
            handler.record(SessionProgress(frames: 75, seconds: 3, duration: 8, effects: 0))
            #expect(try client.ask(#"{"command":"unobserve","name":"progress"}"#)?["code"]?.integer == 204)
            #expect(try client.ask(#"{"command":"observe","name":"speed"}"#)?["code"]?.integer == 105)
        }
    }

    @Test func eventsAreObservedByName() throws {
        try withServer { path, handler in
            let client = try RawClient(path)
            #expect(try client.ask(#"{"command":"observe","events":["propertyChanged"]}"#)?["code"]?.integer == 0)
            handler.publish(ReactionEvent(time: 1, frame: 1, kind: .warning(code: .inputLost, message: "")))
            _ = try RawClient(path).ask(#"{"command":"set","name":"calm","value":true}"#)
            #expect(try client.line()?["name"]?.string == "calm", "other events are left out")
            #expect(try client.ask(#"{"command":"unobserve"}"#)?["code"]?.integer == 0)
            _ = try RawClient(path).ask(#"{"command":"set","name":"calm","value":false}"#)
            #expect(try client.ask(#"{"command":"observe"}"#)?["code"]?.integer == 0, "nothing comes in between")
            #expect(try client.line()?["event"]?.string == "effectsInProgress")
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
