import Flourish
import Foundation
import Testing
import TestSupport

@testable import FlourishControl

@Suite struct ControlRequestTests {
    @Test(arguments: [
        (
            #"{"command": "perform", "reactionType": "balloons", "request_id": 7}"#,
            ControlCommand.perform(.balloons, origin: nil)
        ),
        (
            #"{"command":"perform","reactionType":"heart","origin":{"x":0,"y":1}}"#,
            .perform(.heart, origin: PicturePoint(x: 0, y: 1))
        ),
        (#"{"command":"cancel"}"#, .cancel(.all)),
        (#"{"command":"cancel","reactionType":"rain","time":4}"#, .cancel(.type(.rain), time: 4)),
        (#"{"command":"perform","reactionType":"rain","time":2.5}"#, .perform(.rain, time: 2.5)),
        (#"{"command":"cancel","id":7}"#, .cancel(.id(7))),
        (#"{"command":"cancel","reactionType":"rain","id":null}"#, .cancel(.type(.rain))),
        (#"{"command":"set","name":"gestureSnooze","value":null}"#, .set(["gestureSnooze": .null])),
        (#"{"command":"set","name":"calm","value":true}"#, .set(["calm": .flag(true)])),
        (#"{"command":"set","name":"intensity","value":0.25}"#, .set(["intensity": .number(0.25)])),
        (#"{"command":"get"}"#, .get(nil)),
        (
            #"{"command":"set","values":{"calm":true,"disabled":["victory"]}}"#,
            .set(["calm": .flag(true), "disabled": .array([.text("victory")])])
        ),
        (#"{"command":"observe"}"#, .observeEvents(nil)),
        (#"{"command":"observe","events":["gesture"]}"#, .observeEvents(["gesture"])),
        (#"{"command":"observe","name":"progress"}"#, .observe("progress")),
        (#"{"command":"unobserve"}"#, .unobserve(nil)),
        (#"{"command":"version"}"#, .version),
        (
            #"{"command":"batch","requests":[{"command":"quit","request_id":1}],"stopsAtRefusal":true}"#,
            .batch([ControlRequest(id: .integer(1), command: .success(.quit))], stopsAtRefusal: true)
        ),
        (#"{"command":"snapshot","path":"/tmp/a.png"}"#, .snapshot(path: "/tmp/a.png")),
        (#"{"command":"quit"}"#, .quit),
    ])
    func commandsAreRead(line: String, command: ControlCommand) {
        #expect(ControlRequest(line: line.utf8).command == .success(command))
    }

    @Test(arguments: [
        (#"{"command":"perform","reactionType":"rain","at":5}"#, "no field \"at\""),
        (#"{"command":"perform","reactionType":"rain","tine":5}"#, "did you mean \"time\""),
        (#"{"command":"perform","reactionType":"rain","time":"soon"}"#, "seconds"),
        (#"{"command":"set","values":{},"name":"calm"}"#, "cannot be combined"),
        (#"{"command":"set","values":[1]}"#, "values"),
        (#"{"command":"observe","events":["gestures"]}"#, "did you mean \"gesture\""),
        (#"{"command":"performe","reactionType":"rain"}"#, "did you mean \"perform\""),
        (#"{"command":"batch"}"#, "requests"),
        ("", "JSON"), ("{", "JSON"), ("[]", "JSON"), ("null and void", "JSON"), ("\"perform\"", "JSON"),
        ("{}", "missing"), (#"{"command":7}"#, "must be text"), (#"{"command":"dance"}"#, "dance"),
        (#"{"command":"perform"}"#, "reactionType"),
        (#"{"command":"perform","reactionType":"rain","origin":{"x":2,"y":0}}"#, "0…1"),
        (#"{"command":"perform","reactionType":"rain","origin":"left"}"#, "origin"),
        (#"{"command":"set","name":"calm"}"#, "value"), (#"{"command":"set","value":1}"#, "name"),
        (#"{"command":"set","name":"calm","value":{"a":[1]}}"#, "value"),
        (#"{"command":"get","request_id":{"a":1}}"#, "request_id"),
        (#"{"command":"cancel","id":"7"}"#, "number"),
        (#"{"command":"cancel","id":7,"reactionType":"rain"}"#, "cannot be combined"),
    ])
    func errorsHaveReadableMessages(line: String, word: String) throws {
        guard case .failure(let error) = ControlRequest(line: line.utf8).command else {
            Issue.record("\(line) was taken for a command")
            return
        }
        #expect(error.message.contains(word), "\(error.message)")
    }

    @Test func nestingDepthIsLimited() {
        for opening in ["[", #"{"a":"#] {
            let deep = #"{"command":"get","x":"# + String(repeating: opening, count: 20_000)
            guard case .failure = ControlRequest(line: deep.utf8).command else {
                Issue.record("nested too deep, and yet read")
                continue
            }
        }
    }

    @Test func answersRepeatTheNumber() throws {
        let request = ControlRequest(line: #"{"command":"get","request_id":7}"#.utf8)
        #expect(request.answer(.success(nil)) == #"{"code":0,"error":"success","request_id":7}"#)
        #expect(request.answer(.success(.null)) == #"{"code":0,"data":null,"error":"success","request_id":7}"#)
        #expect(request.answer(.success(.flag(true))) == #"{"code":0,"data":true,"error":"success","request_id":7}"#)
        let named = ControlRequest(line: #"{"command":"jump","request_id":"a"}"#.utf8)
        #expect(
            try JSONValue(parsing: named.answer(.failure(ControlError(.failed, "no"))))["request_id"]?.string == "a")
    }
}

/// The promises of the control protocol, as recorded in `Tests/Contracts`.
@Suite struct ControlContractTests {
    @Test func theProtocolKeepsItsPromises() throws {
        let handler = CommandHandler(session: ReactionSession())
        var promises = ControlCommand.names.map { "command \($0)" }
        promises += ControlError.Code.allCases.map { "code \($0.rawValue) \($0)" }
        promises += EffectReply.Outcome.allCases.map { "result \($0.rawValue)" }
        promises += ControlProperty.all(of: handler).map { "property \($0.name)\($0.write == nil ? "" : ", writable")" }
        let fields = [
            "perform": ["reactionType", "origin", "time"], "cancel": ["reactionType", "id", "time"],
            "set": ["name", "value", "values"], "get": ["name"], "observe": ["name", "events"], "unobserve": ["name"],
            "snapshot": ["path"], "photo": ["time", "photoQualityPrioritization"],
            "batch": ["requests", "stopsAtRefusal"], "version": [], "quit": [],
        ]
        #expect(Set(fields.keys) == Set(ControlCommand.names))
        for (command, names) in fields {
            for name in names {
                let request = ControlRequest(line: "{\"command\":\"\(command)\",\"\(name)\":[[]]}".utf8)
                guard case .failure(let error) = request.command, error.code == .unknownField else {
                    promises.append("\(command) has \(name)")
                    continue
                }
            }
        }
        let version = FlourishVersion.schemas["control"] ?? 0
        #expect(try ContractGolden.differences(of: promises, from: "control-\(version)").isEmpty)
    }

    @Test func thePageListsTheProtocol() throws {
        let file = Repository.root.appending(path: "docs/control-protocol.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        for name in ControlCommand.names { #expect(page.contains("\n| `\(name)` | "), "\(name)") }
        for code in ControlError.Code.allCases { #expect(page.contains("\n| \(code.rawValue) | "), "\(code)") }
        let handler = CommandHandler(session: ReactionSession())
        for name in ControlProperty.all(of: handler).map(\.name) {
            let listed = name.split(separator: ".").count == 2 ? name.prefix { $0 != "." } + ".NAME" : name[...]
            #expect(page.contains("`\(listed)`"), "\(name)")
        }
    }
}
