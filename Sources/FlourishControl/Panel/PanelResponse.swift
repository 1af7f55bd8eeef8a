import Flourish
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import Platform

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
        return PanelResponse(
            type: "text/event-stream",
            .stream { send in
                defer { withExtendedLifetime(follower) {} }
                try await write(send)
            })
    }

    /// Returns a file of a page.
    static func file(_ path: Substring, of files: [String: PanelFiles.File]) -> PanelResponse {
        guard let file = files[String(path)] else { return .text(.notFound, "no such file\n") }
        return PanelResponse(type: file.type, .bytes(file.bytes))
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
