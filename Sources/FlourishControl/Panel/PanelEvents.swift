import Flourish
import NIOCore

/// What happens, as a stream of server-sent events: the lines of the ``EventFeed`` as messages, and a few
/// times a second a `status` of what changes all the time.
///
/// https://html.spec.whatwg.org/multipage/server-sent-events.html
struct PanelEvents: Sendable {
    private static let statusInterval = Duration.milliseconds(250)
    /// How many lines who comes later is told of.
    private static let recalled = 200

    /// The properties that change all the time.
    private static let shown = [
        "statistics", "gestureHold", "gestureSnooze", "quality", "canPerformReactionEffects", "progress",
        "captureReadiness", "isFusionScene", "isDarkScene",
    ]

    let handler: CommandHandler

    /// Writes until the feed is closed or nobody reads any more.
    func write(to send: (ByteBuffer) async throws -> Void) async throws {
        let (snapshot, cursor, past) = handler.feed.join(recalling: Self.recalled)
        var nextStatus = ContinuousClock.now + Self.statusInterval
        try await send(ByteBuffer(string: Self.past(past) + Self.message(snapshot) + status()))
        try await handler.feed.follow(from: cursor, interval: TimeAmount(Self.statusInterval)) { lines in
            var text = lines.map(Self.message).joined()
            if ContinuousClock.now >= nextStatus {
                text += status()
                nextStatus = .now + Self.statusInterval
            }
            if !text.isEmpty { try await send(ByteBuffer(string: text)) }
        }
    }

    /// What happened before, in one message of its own, so that nobody takes it for news.
    private static func past(_ lines: [String]) -> String {
        lines.isEmpty ? "" : "event: past\ndata: [\(lines.joined(separator: ","))]\n\n"
    }

    private static func message(_ line: String) -> String { "data: \(line)\n\n" }

    private func status() -> String {
        var fields: [String: ControlValue] = [:]
        for name in Self.shown {
            fields[name] = try? ControlProperty.named(name, of: handler).read(handler)
        }
        return "event: status\ndata: \(ControlLine.encode(.object(fields)))\n\n"
    }
}
