import Flourish
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
        (#"{"command":"cancel"}"#, .cancel(nil)),
        (#"{"command":"cancel","reactionType":"rain","more":[1,2]}"#, .cancel(.rain)),
        (#"{"command":"cancel","id":7}"#, .cancelEffect(id: 7)),
        (#"{"command":"cancel","reactionType":"rain","id":null}"#, .cancel(.rain)),
        (#"{"command":"set","name":"gestureSnooze","value":null}"#, .set("gestureSnooze", .null)),
        (#"{"command":"set","name":"calm","value":true}"#, .set("calm", .flag(true))),
        (#"{"command":"set","name":"intensity","value":0.25}"#, .set("intensity", .number(0.25))),
        (#"{"command":"get"}"#, .get(nil)),
        (#"{"command":"observe"}"#, .observe),
        (#"{"command":"snapshot","path":"/tmp/a.png"}"#, .snapshot(path: "/tmp/a.png")),
        (#"{"command":"quit"}"#, .quit),
    ])
    func commandsAreRead(line: String, command: ControlCommand) {
        #expect(ControlRequest(line: line.utf8).command == .success(command))
    }

    @Test(arguments: [
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
        #expect(request.answer(.success(nil)) == #"{"error":"success","request_id":7}"#)
        #expect(request.answer(.success(.null)) == #"{"data":null,"error":"success","request_id":7}"#)
        #expect(request.answer(.success(.flag(true))) == #"{"data":true,"error":"success","request_id":7}"#)
        let named = ControlRequest(line: #"{"command":"jump","request_id":"a"}"#.utf8)
        #expect(try JSONValue(parsing: named.answer(.failure(ControlError("no"))))["request_id"]?.string == "a")
    }
}
