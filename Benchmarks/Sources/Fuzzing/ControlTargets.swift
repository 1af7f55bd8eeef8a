import Flourish
import FlourishControl
import MediaIO

/// A line on the control socket.
package struct ControlTarget: FuzzTarget {
    package let name = "control"
    private let handler: CommandHandler

    package init(assets: String) { handler = CommandHandler(session: Self.session(assets)) }

    static func session(_ assets: String) -> ReactionSession {
        var configuration = Configuration()
        configuration.resources = Resources(assets: assets)
        return ReactionSession(configuration: configuration)
    }

    package func seeds() -> [FuzzInput] {
        [
            #"{"command": "perform", "reactionType": "balloons", "origin": {"x": 0.5, "y": 0.25}, "request_id": 7}"#,
            #"{"command": "set", "name": "intensity", "value": 0.5, "request_id": "a"}"#,
            #"{"command": "set", "name": "calm", "value": true}"#,
            #"{"command": "set", "name": "palette", "value": "pastel"}"#,
            #"{"command": "get", "name": "hold"}"#, #"{"command": "get"}"#,
            #"{"command": "cancel", "reactionType": "rain"}"#,
            #"{"command": "set", "values": {"disabled": ["heart"], "hold": 0.5, "bindings.heart": null}}"#,
            #"{"command": "observe", "events": ["gesture"]}"#, #"{"command": "cancel", "id": 3, "time": 2}"#,
            #"{"command": "batch", "requests": [{"command": "version"}, {"command": "get"}], "stopsAtRefusal": true}"#,
        ].map { FuzzInput("json", $0) }
    }

    package func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        let request = ControlRequest(line: input.bytes)
        switch request.command {
        case .failure: return "refused"
        case .success(.quit): return "accepted"
        case .success(let command):
            let execution = handler.execute(command, local: { _ in nil })
            if case .done(.failure) = execution { return "refused" }
            return "accepted"
        }
    }
}

/// A request to the panel from a client with the token, through a connection.
package struct RequestTarget: FuzzTarget {
    package let name = "request"
    private let url: String
    private let server: PageServer

    package init(assets: String) async throws {
        server = try await PageServer(
            address: .loopback, handler: CommandHandler(session: ControlTarget.session(assets)))
        url = server.url
    }

    private var parts: (authority: String, token: String) {
        let parts = url.split(separator: "/")
        return (String(parts[1]), String(parts[2]))
    }

    /// `TOKEN` is replaced by the token and `HOST` by the address, which differ from run to run.
    package func seeds() -> [FuzzInput] {
        let command = #"{"command": "set", "name": "calm", "value": true}"#
        return [
            "GET /TOKEN/ HTTP/1.1\r\nHost: HOST\r\nAccept: */*\r\n\r\n",
            "GET /TOKEN/state HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nSec-Fetch-Site: same-origin\r\n\r\n",
            "GET /TOKEN/panel.js HTTP/1.0\r\nHost: HOST\r\nRange: bytes=0-10\r\nConnection: keep-alive\r\n\r\n",
            "HEAD /TOKEN/panel.css HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
            "POST /TOKEN/command HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(command.utf8.count)\r\n\r\n\(command)",
            "POST /TOKEN/command HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"com\r\n0\r\n\r\n",
        ].map { FuzzInput("http", $0) }
    }

    package func mutate(_ input: inout FuzzInput, _ random: inout FuzzRandom) {
        if random.once(in: 2) { return TextMutator.mutate(&input.bytes, &random) }
        if random.once(in: 3) {
            // One more field, or many.
            guard let end = input.bytes.firstIndex(of: 0x0A) else { return }
            let field = random.pick([
                "Content-Length: 99999999999999999999", "Content-Length: -1", "Transfer-Encoding: chunked",
                "Expect: 100-continue",
                "Upgrade: h2c", "X: \(String(repeating: "a", count: 9000))", "Host: evil.example", ": ",
                "Range: bytes=-",
            ])
            let fields = String(repeating: field + "\r\n", count: random.pick([1, 1, 2, 100]))
            input.bytes.insert(contentsOf: Array(fields.utf8), at: end + 1)
            return
        }
        ByteMutator.mutate(&input.bytes, within: input.bytes.indices, &random)
    }

    package func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        let (authority, token) = parts
        let bytes = Bytes.replacing("HOST", with: authority, in: Bytes.replacing("TOKEN", with: token, in: input.bytes))
        guard let port = authority.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw FuzzFault("the panel has no port: \(url)")
        }
        guard let answer = WebClient.ask(port: port, bytes) else { throw FuzzFault("the panel cannot be reached") }
        // The next request is served after any input.
        let next = WebClient.ask(
            port: port, Array("GET /\(token)/state HTTP/1.1\r\nHost: \(authority)\r\nConnection: close\r\n\r\n".utf8))
        guard let next, next.starts(with: Array("HTTP/1.1 200".utf8)) else {
            throw FuzzFault("the panel answers nobody any more")
        }
        return answer.starts(with: Array("HTTP/1.1 2".utf8)) ? "served" : "refused"
    }
}

/// Messages within a packet of H.264 or HEVC.
package struct MessageTarget: FuzzTarget {
    package let name = "sei"
    package init() {}
    private static let uuid = [UInt8](0..<16)

    package func seeds() -> [FuzzInput] {
        let payload = Self.uuid + Array(#"{"event":"effectsInProgress","effects":[]}"#.utf8)
        let message: [UInt8] = [5, UInt8(payload.count)] + payload + [0x80]
        return [
            FuzzInput(kind: "h264", bytes: [0, 0, 0, 1, 6] + message + [0, 0, 1, 0x65, 1, 2, 3]),
            FuzzInput(kind: "hevc", bytes: [0, 0, 0, 1, 0x4E, 1] + message + [0, 0, 1, 0x26, 1, 2, 3]),
            FuzzInput(kind: "avc", bytes: [0, 0, 0, UInt8(message.count + 1), 6] + message + [0, 0, 0, 2, 0x65, 1]),
        ]
    }

    package func mutate(_ input: inout FuzzInput, _ random: inout FuzzRandom) {
        if input.kind != "avc", random.once(in: 3) { return UnitMutator.mutate(&input.bytes, &random) }
        ByteMutator.mutate(&input.bytes, within: input.bytes.indices, &random)
    }

    package func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        let framing: NALFraming = input.kind == "avc" ? .lengths(seed % 3 == 0 ? 2 : 4) : .startCodes
        let found = UserDataMessage.messages(
            in: input.bytes, framing: framing, codec: input.kind == "hevc" ? .hevc : .h264, uuid: Self.uuid)
        return found.isEmpty ? "nothing found" : "found"
    }
}
