import Flourish
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import Platform
import Synchronization

/// An HTTP response of a ``PageServer``.
struct PanelResponse: Sendable {
    enum Body: Sendable {
        /// No body, for a request of only the head.
        case none
        case bytes(ByteBuffer)
        /// A body that the closure sends in pieces. Each piece is sent when the previous one is written. The transfer
        /// is chunked unless the ``PanelResponse/fields`` contain a length.
        case stream(@Sendable (_ send: (ByteBuffer) async throws -> Void) async throws -> Void)
    }

    var status: HTTPResponseStatus
    var type: String
    var body: Body
    /// Further fields of the head.
    var fields: [(name: String, value: String)] = []

    init(_ status: HTTPResponseStatus = .ok, type: String, _ body: Body) {
        self.status = status
        self.type = type
        self.body = body
    }

    /// Returns a response with a human-readable message.
    static func text(_ status: HTTPResponseStatus, _ text: String) -> PanelResponse {
        PanelResponse(status, type: "text/plain; charset=utf-8", .bytes(ByteBuffer(string: text)))
    }

    static func json(_ text: String) -> PanelResponse {
        PanelResponse(type: "application/json", .bytes(ByteBuffer(string: text)))
    }

    static func json(_ value: JSONValue) -> PanelResponse { .json(value.json) }

    static func jpeg(_ bytes: [UInt8]) -> PanelResponse {
        PanelResponse(type: "image/jpeg", .bytes(ByteBuffer(bytes: bytes)))
    }

    /// The refusal of a request whose body has another type.
    static var notJSON: PanelResponse {
        .refusal(.unsupportedMediaType, "the content type must be application/json")
    }

    /// Returns a stream of server-sent events, unless too many clients follow already.
    ///
    /// - Parameter write: sends the events until the client has gone.
    static func events(
        _ followers: FollowerCount,
        _ write: @escaping @Sendable (_ send: (ByteBuffer) async throws -> Void) async throws -> Void
    ) -> PanelResponse {
        guard let follower = followers.add() else {
            return .text(.serviceUnavailable, "too many clients follow the events\n")
        }
        return .stream("text/event-stream", for: follower, write)
    }

    /// Returns a response that is sent in pieces. Its client counts until it has gone.
    static func stream(
        _ type: String, for client: FollowerCount.Follower,
        _ write: @escaping @Sendable (_ send: (ByteBuffer) async throws -> Void) async throws -> Void
    ) -> PanelResponse {
        PanelResponse(
            type: type,
            .stream { send in
                defer { withExtendedLifetime(client) {} }
                try await write(send)
            })
    }

    /// Returns a response with something that blocking work reads from a recording, on a separate thread.
    ///
    /// - Parameters:
    ///   - clients: Limits the number of concurrent requests.
    ///   - busy: The refusal beyond this limit.
    static func reading<Value: Sendable>(
        _ clients: FollowerCount, busy: String, _ read: @escaping @Sendable () throws(FlourishError) -> Value?,
        respond: (Value) -> PanelResponse
    ) async -> PanelResponse {
        guard let client = clients.add() else { return .refusal(.serviceUnavailable, busy) }
        defer { withExtendedLifetime(client) {} }
        switch await StageThread.run(read) {
        case .success(let value?): return respond(value)
        case .success(nil): return .refusal(.notFound, "there is no picture")
        case .failure(let error): return .refusal(.internalServerError, error.problem)
        }
    }

    /// Fields that prevent other pages from loading, framing or reading a response, and the page from loading anything
    /// from other origins.
    private static let policy: [(String, String)] = [
        ("Cache-Control", "no-store"),
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    /// - Parameter isLast: A Boolean value that indicates whether the connection is closed afterwards.
    func head(isLast: Bool) -> HTTPResponseHead {
        var headers = HTTPHeaders(Self.policy)
        headers.add(name: "Content-Type", value: type)
        for field in fields { headers.add(name: field.name, value: field.value) }
        if case .bytes(let bytes) = body { headers.add(name: "Content-Length", value: "\(bytes.readableBytes)") }
        if isLast { headers.add(name: "Connection", value: "close") }
        return HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    }
}

extension PanelResponse {
    /// Returns a response with an error for the page's script.
    static func refusal(_ status: HTTPResponseStatus, _ message: String) -> PanelResponse {
        PanelResponse(
            status, type: "application/json",
            .bytes(ByteBuffer(string: JSONValue.object(["error": .text(message)]).json)))
    }
}

/// A counter that limits the users of a resource, such as the followers of a page's events.
final class FollowerCount: Sendable {
    private let maximum: Int
    private let count = Atomic(0)

    init(maximum: Int = 64) { self.maximum = maximum }

    /// Adds a user, who counts until the returned object is released; returns `nil` if the limit is reached.
    func add() -> Follower? {
        guard count.add(1, ordering: .relaxed).newValue <= maximum else {
            count.subtract(1, ordering: .relaxed)
            return nil
        }
        return Follower(self)
    }

    final class Follower: Sendable {
        private let followers: FollowerCount
        fileprivate init(_ followers: FollowerCount) { self.followers = followers }
        deinit { followers.count.subtract(1, ordering: .relaxed) }
    }
}

extension HTTPRequestHead {
    /// True if the request has JSON. A form of another page cannot send JSON.
    var isJSON: Bool { headers.first(name: "Content-Type")?.hasPrefix("application/json") == true }
}

/// The query of a request, such as `?time=12.5&height=64`. Values are not percent-decoded.
struct RequestQuery: Sendable {
    private let fields: [Substring: Substring]

    init(_ uri: String) {
        let query = uri.firstIndex(of: "?").map { uri[uri.index(after: $0)...] } ?? ""
        fields = Dictionary(
            query.split(separator: "&").map { field in
                let equals = field.firstIndex(of: "=")
                return (field[..<(equals ?? field.endIndex)], equals.map { field[field.index(after: $0)...] } ?? "")
            }, uniquingKeysWith: { first, _ in first })
    }

    subscript(name: String) -> String? { fields[name[...]].map(String.init) }

    /// Returns a field as a number below 10⁷; `nil` for any other text.
    func number(_ name: String) -> Double? {
        fields[name[...]].flatMap { Double($0) }.flatMap { $0.isFinite && abs($0) < 1e7 ? $0 : nil }
    }
}
