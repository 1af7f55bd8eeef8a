/// Reads BigBlueButton's `events.xml`, which is in the folder of a raw recording.
///
/// Reactions are events named `ParticipantStatusChangeEvent` whose status is `reactionEmoji` (2.7 and later),
/// `emojiStatus` (before) or `raiseHand`: https://github.com/bigbluebutton/bigbluebutton/pull/19618. `RecordStatusEvent`
/// begins and ends the parts of the meeting that a published recording shows one after the other; without it, the recording
/// shows the whole meeting.
enum BigBlueButtonLog {
    /// An element `event` with the texts of its fields.
    private struct Event {
        var name = ""
        /// Milliseconds on the server's clock.
        var time = 0.0
        var fields: [String: String] = [:]
    }

    static func read(_ bytes: [UInt8], _ symbols: ReactionSymbols) throws(MarkerFault) -> MeetingLog {
        var reader = MarkupReader(bytes)
        var log = MeetingLog(.recording)
        var state = State(symbols)
        var event = Event()
        var field: String?
        var isFirst = true
        while let token = try reader.next() {
            switch token {
            case .opening(let name, let attributes):
                if isFirst, name != "recording" {
                    throw reader.fault(
                        "the file begins with <\(name)>, not <recording>; give BigBlueButton's events.xml")
                }
                isFirst = false
                if reader.depth == 2, name == "event" {
                    guard let time = attributes["timestamp"].flatMap({ Double($0) }), time.isFinite, abs(time) < 1e15
                    else {
                        throw reader.fault("the event has no timestamp in milliseconds")
                    }
                    event = Event(name: attributes["eventname"] ?? "", time: time)
                } else if reader.depth == 3 {
                    field = name
                }
            case .text(let text): if let field, reader.depth == 3 { event.fields[field, default: ""] += text }
            case .closing(let name):
                field = nil
                if reader.depth == 1, name == "event" {
                    state.add(event, to: &log)
                    event = Event()
                }
            }
        }
        return state.placed(log)
    }

    /// The people and the recorded parts of the meeting, from the events so far.
    private struct State {
        let symbols: ReactionSymbols
        private var people: [String: String] = [:]
        private var first: Double?
        /// The recorded parts of the meeting, in milliseconds; the end is nil while recording goes on.
        private var parts: [(start: Double, end: Double?)] = []
        private var hasStatus = false

        init(_ symbols: ReactionSymbols) { self.symbols = symbols }

        mutating func add(_ event: Event, to log: inout MeetingLog) {
            first = first ?? event.time
            func field(_ name: String) -> String { String((event.fields[name] ?? "").trimmed) }
            switch event.name {
            case "ParticipantJoinEvent": people[field("userId")] = field("name")
            case "RecordStatusEvent":
                hasStatus = true
                let isRecorded = field("status") == "true"
                let goesOn = parts.last.map { $0.end == nil } ?? false
                if isRecorded, !goesOn { parts.append((event.time, nil)) }
                if !isRecorded, goesOn { parts[parts.count - 1].end = event.time }
            // Everything before is left out of the recording.
            case "RecordStatusReset": parts = []
            case "ParticipantStatusChangeEvent":
                let value = field("value")
                switch field("status") {
                case "reactionEmoji", "emojiStatus":
                    if !value.isEmpty, value != "none" { append(value, event, field("userId"), to: &log) }
                case "raiseHand": if value == "true" { append("raiseHand", event, field("userId"), to: &log) }
                default: break
                }
            case "PublicChatEvent":
                let message = field("message")
                if symbols.type(of: message) != nil { append(message, event, field("senderId"), to: &log) }
            default: break
            }
        }

        private func append(_ symbol: String, _ event: Event, _ user: String, to log: inout MeetingLog) {
            log.entries.append(MeetingLog.Entry(seconds: event.time, symbol: symbol, person: people[user]))
        }

        /// Returns the log with the times of the published recording, in seconds.
        func placed(_ log: MeetingLog) -> MeetingLog {
            var placed = log
            placed.entries = []
            let recorded = hasStatus ? parts : [(start: first ?? 0, end: nil)]
            for var entry in log.entries {
                var before = 0.0
                let part = recorded.first { part in
                    if entry.seconds >= part.start, entry.seconds < part.end ?? .infinity { return true }
                    before += (part.end ?? part.start) - part.start
                    return false
                }
                guard let part else {
                    placed.unrecorded += 1
                    continue
                }
                entry.seconds = (before + entry.seconds - part.start) / 1000
                placed.entries.append(entry)
            }
            return placed
        }
    }
}
