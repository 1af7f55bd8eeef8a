import NIOCore
import NIOHTTP1

extension PanelResponse {
    /// Returns a response with an error for the page's script.
    static func refusal(_ status: HTTPResponseStatus, _ message: String) -> PanelResponse {
        PanelResponse(
            status, type: "application/json",
            .bytes(ByteBuffer(string: ControlValue.object(["error": .text(message)]).json)))
    }
}

extension HTTPRequestHead {
    /// A Boolean value that indicates whether the request has JSON. A form of another page cannot send JSON.
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
