import Flourish
import FlyingSocks

/// What happens, as a stream of server-sent events: the lines of the ``EventFeed`` as messages, and a few
/// times a second a `status` of what changes all the time.
///
/// https://html.spec.whatwg.org/multipage/server-sent-events.html
struct PanelEvents: AsyncBufferedSequence, Sendable {
    typealias Element = UInt8

    let desk: ControlDesk
    let seat: PanelSeats.Seat

    func makeAsyncIterator() -> Iterator { Iterator(desk: desk, seat: seat) }

    struct Iterator: AsyncBufferedIteratorProtocol {
        /// How often the feed is looked at. New lines are rare, and a look costs next to nothing.
        private static let glance = Duration.milliseconds(25)
        /// A status with every so many glances.
        private static let statusPace = 10

        private let desk: ControlDesk
        /// Kept as long as somebody reads.
        private let seat: PanelSeats.Seat
        private var place: EventFeed.Place?
        private var glances = 0

        init(desk: ControlDesk, seat: PanelSeats.Seat) {
            self.desk = desk
            self.seat = seat
        }

        mutating func next() async throws -> UInt8? {
            preconditionFailure("the stream is read a buffer at a time")
        }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            guard var place else {
                let (snapshot, place) = desk.feed.join()
                self.place = place
                return Array((Self.message(snapshot) + status()).utf8)
            }
            while true {
                let isOver = desk.feed.isClosed
                let lines = desk.feed.read(from: &place)
                self.place = place
                if !lines.isEmpty { return Array(lines.map(Self.message).joined().utf8) }
                if isOver { return nil }
                glances += 1
                if glances % Self.statusPace == 0 { return Array(status().utf8) }
                try await Task.sleep(for: Self.glance)
            }
        }

        private static func message(_ line: String) -> String { "data: \(line)\n\n" }

        private func status() -> String {
            var fields: [String: ControlValue] = [:]
            for name in ["statistics", "gestureHold", "canPerformReactionEffects"] {
                fields[name] = try? ControlProperty.named(name, of: desk.session).read(desk.session)
            }
            return "event: status\ndata: \(ControlLine.encode(.object(fields)))\n\n"
        }
    }
}
