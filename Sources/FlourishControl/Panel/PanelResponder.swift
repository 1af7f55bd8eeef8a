package import Flourish
import NIOCore
import NIOHTTP1
import Synchronization

extension PageServer {
    /// Serves the panel.
    package convenience init(
        address: PanelAddress, token: PanelToken? = nil, handler: CommandHandler
    ) async throws(FlourishError) {
        try await self.init(
            .panel, address: address, token: token, session: handler.session, responder: try PanelResponder(handler))
    }
}

/// Answers the panel's requests.
private struct PanelResponder: PageResponding {
    let handler: CommandHandler
    let preview: PanelPreview
    let effects: OverlayEffects
    let followers = FollowerCount()
    /// Limits the number of pages of the browser source.
    let overlays = FollowerCount(maximum: 8)

    init(_ handler: CommandHandler) throws(FlourishError) {
        self.handler = handler
        preview = PanelPreview(session: handler.session)
        effects = try handler.session.overlayEffects()
    }

    /// The field with the time of a picture, in seconds on the video's clock.
    private static let timeField = "X-Media-Time"
    /// The maximum size of a command, in bytes.
    private static let longestCommand = 4096

    func respond(to head: HTTPRequestHead, at path: Substring, body: ByteBuffer) async -> PanelResponse? {
        switch (head.method, path) {
        case (.GET, "preview.jpg"):
            guard let picture = await preview.next() else {
                return PanelResponse(.noContent, type: "image/jpeg", .bytes(ByteBuffer()))
            }
            var response = PanelResponse.jpeg(picture.bytes)
            // The page sends the time back when it requests a photograph of the shown picture.
            response.fields = [(Self.timeField, "\(picture.time)")]
            return response
        case (.GET, "events"):
            return .events(followers) { send in
                try await writeEvents(after: head.headers.first(name: "Last-Event-ID"), to: send)
            }
        case (.GET, "state"): return .json(state)
        case (.GET, "overlay.rgba"): return overlay(RequestQuery(head.uri))
        case (.POST, "command"): return await command(head, body)
        case (.GET, _): return nil
        default: return .text(.methodNotAllowed, "use GET, or POST for command\n")
        }
    }

    /// Draws the effects for a page of the browser source.
    private func overlay(_ query: RequestQuery) -> PanelResponse {
        guard let frames = OverlayFrames(effects, of: handler, query) else {
            return .text(.badRequest, "the page's size or the share of the dimming is missing or out of range\n")
        }
        guard let page = overlays.add() else {
            return .text(.serviceUnavailable, "too many pages show the effects\n")
        }
        return .stream("application/octet-stream", for: page) { send in try await frames.write(to: send) }
    }

    /// All properties, and other values that the page shows.
    private var state: JSONValue {
        let session = handler.session
        var properties: [String: JSONValue] = [:]
        for property in ControlProperty.all(of: handler) { properties[property.name] = property.read(handler) }
        return .object([
            "properties": .object(properties),
            "gestures": .array(
                session.availableGestures.map {
                    .object([
                        "name": .text($0.rawValue),
                        "reactionType": .text(session.settings.reactionType(for: $0).rawValue),
                    ])
                }),
            "hasGestures": .flag(session.configuration.gesturesEnabled),
            "tiles": .array(handler.feed.tiles.map(\.fields)),
            "photographs": session.configuration.photos?.folder.map { .text($0) } ?? .null,
        ])
    }

    /// Executes a command of the control protocol, except for commands that are reserved for local clients.
    private func command(_ head: HTTPRequestHead, _ body: ByteBuffer) async -> PanelResponse {
        guard head.headers.first(name: "Content-Type")?.hasPrefix("application/json") == true else {
            return .text(.unsupportedMediaType, "the content type must be application/json\n")
        }
        guard body.readableBytes <= Self.longestCommand else {
            return .text(.payloadTooLarge, "a command is limited to \(Self.longestCommand) bytes\n")
        }
        let request = ControlRequest(line: body.readableBytesView)
        let result: Result<JSONValue?, ControlError> =
            switch request.command {
            case .failure(let error): .failure(error)
            case .success(let command): await handler.execute(command, local: { _ in nil }).result()
            }
        return .json(request.answer(result))
    }
}

/// The stream of server-sent events: the lines of the ``EventFeed`` as messages and, a few times a second, a `status`
/// of the properties that change all the time.
///
/// https://html.spec.whatwg.org/multipage/server-sent-events.html
extension PanelResponder {
    private static let statusInterval = Duration.milliseconds(250)
    /// The number of earlier lines that a new follower receives.
    private static let recalled = 200

    /// The properties that change all the time.
    private static let shown = [
        "statistics", "gestureHold", "gestureSnooze", "quality", "canPerformReactionEffects", "progress",
        "captureReadiness", "isFusionScene", "isDarkScene", "noPicture",
    ]

    /// Writes until the feed is closed, or the client has gone.
    ///
    /// - Parameter id: The identifier of the last message that the client received on an earlier connection.
    private func writeEvents(after id: String?, to send: (ByteBuffer) async throws -> Void) async throws {
        var nextStatus = ContinuousClock.now + Self.statusInterval
        var (text, cursor) = begin(after: id)
        text += status()
        try await send(ByteBuffer(string: text))
        try await handler.feed.follow(from: cursor, interval: TimeAmount(Self.statusInterval)) { lines in
            var text = lines.map(Self.message).joined()
            if ContinuousClock.now >= nextStatus {
                text += status()
                nextStatus = .now + Self.statusInterval
            }
            if !text.isEmpty { try await send(ByteBuffer(string: text)) }
        }
    }

    /// Returns the first messages: those that the client missed, or else earlier ones and the present state.
    private func begin(after id: String?) -> (text: String, cursor: EventFeed.Cursor) {
        guard var cursor = id.flatMap({ Int($0) }).flatMap(handler.feed.resume) else {
            let (state, cursor, past) = handler.feed.join(recalling: Self.recalled)
            return (Self.past(past) + state.map(Self.message).joined(), cursor)
        }
        var text = ""
        while true {
            let lines = handler.feed.read(from: &cursor)
            if lines.isEmpty { break }
            text += lines.map(Self.message).joined()
        }
        return (text + Self.message(handler.feed.effects), cursor)
    }

    /// Returns earlier lines as one separate message, so that a page does not treat them as new events.
    private static func past(_ lines: [String]) -> String {
        lines.isEmpty ? "" : "event: past\ndata: [\(lines.joined(separator: ","))]\n\n"
    }

    private static func message(_ line: EventFeed.Line) -> String {
        (line.index.map { "id: \($0)\n" } ?? "") + "data: \(line.text)\n\n"
    }

    private func status() -> String {
        var fields: [String: JSONValue] = [:]
        for name in Self.shown {
            fields[name] = try? ControlProperty.named(name, of: handler).read(handler)
        }
        return "event: status\ndata: \(JSONValue.object(fields).json)\n\n"
    }
}

/// The newest frame of the output, for all panels. Frames are encoded only on request, one at a time, and at most a few
/// times a second.
private actor PanelPreview {
    /// The height of the pictures, in pixels.
    private static let height = 360
    /// The time for which a picture is reused, so that panels share it.
    private static let pace = Duration.milliseconds(90)
    /// The age from which a picture is not shown, because no panel has requested a new one.
    private static let longest = Duration.seconds(2)

    private let session: ReactionSession
    private var newest: (picture: Picture, time: ContinuousClock.Instant)?
    private var isCapturing = false

    /// A frame as JPEG.
    struct Picture: Sendable {
        let bytes: [UInt8]
        /// The presentation time, in seconds on the video's clock.
        let time: Double
    }

    init(session: ReactionSession) { self.session = session }

    /// Returns the newest picture and starts the next one; `nil` if there is none.
    func next() -> Picture? {
        let age = newest.map { ContinuousClock.now - $0.time }
        if !isCapturing, age.map({ $0 >= Self.pace }) ?? true {
            isCapturing = true
            Task { await capture() }
        }
        guard let newest, let age, age < Self.longest else { return nil }
        return newest.picture
    }

    private func capture() async {
        if let preview = try? await session.timedPreview(height: Self.height) {
            newest = (Picture(bytes: preview.bytes, time: preview.time), ContinuousClock.now)
        }
        isCapturing = false
    }
}

extension LayoutTile {
    /// The tile's fields in events.
    fileprivate var fields: JSONValue {
        .object([
            "id": .integer(id), "x": .number(x), "y": .number(y), "width": .number(width), "height": .number(height),
        ])
    }
}
