import Flourish
import NIOCore
import NIOHTTP1
import Synchronization

/// Answers the panel's requests.
struct PanelResponder: PageResponding {
    let access: PanelAccess
    let handler: CommandHandler
    let files: PanelFiles
    let preview: PanelPreview
    let followers: FollowerCount

    /// The time of a picture, in seconds on the video's clock.
    private static let timeField = "X-Media-Time"
    /// The longest command, in bytes.
    private static let longestCommand = 4096

    func respond(to head: HTTPRequestHead, at path: Substring, body: ByteBuffer) async -> PanelResponse {
        switch (head.method, path) {
        case (.GET, "preview.jpg"):
            guard let picture = await preview.next() else {
                return PanelResponse(.noContent, type: "image/jpeg", .bytes(ByteBuffer()))
            }
            var response = PanelResponse(type: "image/jpeg", .bytes(ByteBuffer(bytes: picture.bytes)))
            // Who asks for a photograph of what is seen says of when that is.
            response.fields = [(Self.timeField, "\(picture.time)")]
            return response
        case (.GET, "events"):
            guard let follower = followers.add() else { return .text(.serviceUnavailable, "too many follow already\n") }
            let events = PanelEvents(handler: handler)
            return PanelResponse(
                type: "text/event-stream",
                .stream { send in
                    defer { withExtendedLifetime(follower) {} }
                    try await events.write(to: send)
                })
        case (.GET, "state"): return .json(ControlLine.encode(state))
        case (.POST, "command"): return await command(head, body)
        case (.GET, _):
            guard let file = files.files[String(path)] else { return .text(.notFound, "there is no such file\n") }
            return PanelResponse(type: file.type, .bytes(file.bytes))
        default: return .text(.methodNotAllowed, "use GET, or POST for command\n")
        }
    }

    /// All properties, and what the page shows beside them.
    private var state: ControlValue {
        let session = handler.session
        var properties: [String: ControlValue] = [:]
        for property in ControlProperty.all(of: handler) { properties[property.name] = property.read(handler) }
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
            "photographs": session.configuration.photos?.folder.map { .text($0) } ?? .null,
        ])
    }

    /// A line as the control socket takes it, but for what only this machine's user may do.
    private func command(_ head: HTTPRequestHead, _ body: ByteBuffer) async -> PanelResponse {
        guard head.headers.first(name: "Content-Type")?.hasPrefix("application/json") == true else {
            return .text(.unsupportedMediaType, "send application/json\n")
        }
        guard body.readableBytes <= Self.longestCommand else {
            return .text(.payloadTooLarge, "a command has \(Self.longestCommand) bytes at most\n")
        }
        let request = ControlRequest(line: body.readableBytesView)
        let result: Result<ControlValue?, ControlError>
        switch request.command {
        case .failure(let error): result = .failure(error)
        case .success(.snapshot), .success(.observe):
            result = .failure(ControlError("the panel can perform, cancel, set, get, take a photo and quit"))
        case .success(.photo(let time, let quality)): result = await handler.photograph(at: time, quality)
        case .success(let command):
            result = Result { () throws(ControlError) in try handler.perform(command) }
        }
        return .json(request.answer(result))
    }
}

/// How many follow a page's events, or take up something else that there is a bounded number of.
final class FollowerCount: Sendable {
    private let most: Int
    private let count = Atomic(0)

    init(most: Int = 64) { self.most = most }

    /// Counts one more until it is let go; `nil` where there are enough.
    func add() -> Follower? {
        guard count.add(1, ordering: .relaxed).newValue <= most else {
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
