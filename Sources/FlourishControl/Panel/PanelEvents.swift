import Flourish
import NIOCore

/// What happens, as a stream of server-sent events: the lines of the ``EventFeed`` as messages, and a few
/// times a second a `status` of what changes all the time.
///
/// https://html.spec.whatwg.org/multipage/server-sent-events.html
struct PanelEvents: Sendable {
    private static let statusInterval = Duration.milliseconds(250)

    let handler: CommandHandler

    /// Writes until the feed is closed or nobody reads any more.
    func write(to send: (ByteBuffer) async throws -> Void) async throws {
        let (snapshot, cursor) = handler.feed.join()
        var nextStatus = ContinuousClock.now + Self.statusInterval
        try await send(ByteBuffer(string: Self.message(snapshot) + status()))
        try await handler.feed.follow(from: cursor, interval: TimeAmount(Self.statusInterval)) { lines in
            var text = lines.map(Self.message).joined()
            if ContinuousClock.now >= nextStatus {
                text += status()
                nextStatus = .now + Self.statusInterval
            }
            if !text.isEmpty { try await send(ByteBuffer(string: text)) }
        }
    }

    private static func message(_ line: String) -> String { "data: \(line)\n\n" }

    private func status() -> String {
        var fields: [String: ControlValue] = [:]
        for name in ["statistics", "gestureHold", "canPerformReactionEffects", "progress"] {
            fields[name] = try? ControlProperty.named(name, of: handler).read(handler)
        }
        return "event: status\ndata: \(ControlLine.encode(.object(fields)))\n\n"
    }
}
