import Flourish
import FlyingFox
import Foundation

/// Answers the panel's requests.
struct PanelHandler: HTTPHandler {
    let gate: PanelGuard
    let desk: ControlDesk
    let page: PanelPage
    let preview: PanelPreview
    let seats: PanelSeats

    /// The longest command, in bytes.
    private static let longestCommand = 4096

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        let visitor = PanelGuard.Visitor(
            path: request.target.path(), host: request.headers[.host], origin: request.headers[HTTPHeader("Origin")],
            site: request.headers[HTTPHeader("Sec-Fetch-Site")])
        do throws(PanelGuard.Refusal) {
            return try await answer(request, at: gate.path(for: visitor))
        } catch .misdirected {
            return Self.text(
                .forbidden, "this page is served under the address that flourish printed, and to no other page\n")
        } catch .unknown {
            return Self.text(.notFound, "there is nothing here; use the whole address that flourish printed\n")
        }
    }

    private func answer(_ request: HTTPRequest, at path: Substring) async -> HTTPResponse {
        switch (request.method, path) {
        case (.GET, "preview.jpg"):
            guard let jpeg = await preview.next() else { return Self.response(.noContent, "image/jpeg", Data()) }
            return Self.response(.ok, "image/jpeg", Data(jpeg))
        case (.GET, "events"):
            guard let seat = seats.take() else { return Self.text(.serviceUnavailable, "too many follow already\n") }
            let stream = PanelEvents(desk: desk, seat: seat)
            return HTTPResponse(
                statusCode: .ok, headers: Self.headers("text/event-stream"),
                body: HTTPBodySequence(from: stream, suggestedBufferSize: 4096))
        case (.GET, "state"):
            return Self.response(.ok, "application/json", Data(ControlLine.encode(state).utf8))
        case (.POST, "command"): return await command(request)
        case (.GET, _):
            guard let file = page.files[String(path)] else { return Self.text(.notFound, "there is no such file\n") }
            return Self.response(.ok, file.type, file.bytes)
        default: return Self.text(.methodNotAllowed, "use GET, or POST for command\n")
        }
    }

    /// All properties, and what the page shows beside them.
    private var state: ControlValue {
        var properties: [String: ControlValue] = [:]
        for property in ControlProperty.all(of: desk.session) {
            properties[property.name] = property.read(desk.session)
        }
        let session = desk.session
        return .object([
            "properties": .object(properties),
            "gestures": .list(
                session.availableGestures.map {
                    .object([
                        "name": .text($0.rawValue),
                        "reactionType": .text(session.configuration.reactionType(for: $0).rawValue),
                    ])
                }),
            "hasGestures": .flag(session.configuration.gesturesEnabled),
        ])
    }

    /// A line as the control socket takes it, but for what only this machine's user may do.
    private func command(_ request: HTTPRequest) async -> HTTPResponse {
        guard request.headers[.contentType]?.hasPrefix("application/json") == true else {
            return Self.text(.unsupportedMediaType, "send application/json\n")
        }
        guard let length = request.headers[.contentLength].flatMap(Int.init), length <= Self.longestCommand,
            let body = try? await request.bodyData
        else { return Self.text(.payloadTooLarge, "a command has \(Self.longestCommand) bytes at most\n") }
        let question = ControlRequest(line: body)
        let result: Result<ControlValue, ControlError>
        switch question.command {
        case .failure(let error): result = .failure(error)
        case .success(.quit), .success(.snapshot), .success(.observe):
            result = .failure(ControlError("the panel can perform, cancel, set and get"))
        case .success(let command):
            result = Result { () throws(ControlError) in try desk.perform(command) }
        }
        return Self.response(.ok, "application/json", Data(question.answer(result).utf8))
    }

    private static func text(_ status: HTTPStatusCode, _ text: String) -> HTTPResponse {
        response(status, "text/plain; charset=utf-8", Data(text.utf8))
    }

    private static func response(_ status: HTTPStatusCode, _ type: String, _ body: Data) -> HTTPResponse {
        HTTPResponse(statusCode: status, headers: headers(type), body: body)
    }

    /// No other page may load, frame or read any of this, and the page itself loads nothing from elsewhere.
    private static func headers(_ type: String) -> HTTPHeaders {
        HTTPHeaders([
            .contentType: type, .cacheControl: "no-store",
            HTTPHeader("Content-Security-Policy"):
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            HTTPHeader("X-Content-Type-Options"): "nosniff", HTTPHeader("Referrer-Policy"): "no-referrer",
            HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
            HTTPHeader("Cross-Origin-Opener-Policy"): "same-origin",
        ])
    }
}
