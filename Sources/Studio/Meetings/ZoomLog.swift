/// Reads the chat of a Zoom meeting, as `chat.txt` of a recording in the cloud, and as Zoom saves it on a computer.
///
/// ```
/// 00:14:27<tab>Jane Doe:<tab>Reacted to "Welcome" with 👍        in the cloud, from the beginning of the recording
/// 14:02:11 From Jane Doe to Everyone:                            on a computer, time of the day
/// <tab>Reacted to "Welcome" with 👍
/// ```
///
/// A reaction to a message is a line of the chat in English; `Removed a 👍 reaction from "Welcome"` takes it back. Zoom's
/// reactions over the picture are in no log that participants or hosts can save.
enum ZoomLog {
    private struct Message {
        var seconds: Double
        var person: String
        var text: String
    }

    /// The number of lines among which the first message must be.
    private static let searched = 50

    /// - Returns: `nil` if the text is not such a chat.
    static func read(_ text: String, _ symbols: ReactionSymbols) -> MeetingLog? {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard let begin = lines.prefix(searched).lazy.compactMap(Self.header).first else { return nil }
        var log = MeetingLog(begin.clock)
        var message: Message?
        for line in lines {
            if let (next, _) = header(line) {
                if let message { add(message, to: &log, symbols) }
                message = next
            } else {
                message?.text += "\n" + line
            }
        }
        if let message { add(message, to: &log, symbols) }
        return log
    }

    /// Reads the line with which a message begins.
    private static func header(_ line: Substring) -> (message: Message, clock: MeetingLog.Clock)? {
        var rest = line
        // Some versions write the date first.
        if let blank = rest.firstIndex(of: " "), rest[..<blank].count == 10,
            rest[..<blank].allSatisfy({ $0.isNumber || $0 == "-" || $0 == "/" })
        {
            rest = rest[rest.index(after: blank)...]
        }
        let clock = rest.prefix { $0.isNumber || $0 == ":" }
        guard clock.utf8.count <= 8, clock.count(where: { $0 == ":" }) == 2, let seconds = MeetingLog.hours(clock)
        else {
            return nil
        }
        rest = rest[clock.endIndex...]
        let words = rest.trimmed
        if words.hasPrefix("From ") || words.hasPrefix("from ") {
            let from = words.dropFirst(5)
            guard let colon = from.firstIndex(of: ":") else { return nil }
            var person = from[..<colon].trimmed
            if let to = person.lastRange(of: " to ") ?? person.lastRange(of: " To ") {
                person = person[..<to.lowerBound]
            }
            let text = String(from[from.index(after: colon)...])
            return (Message(seconds: seconds, person: String(person.trimmed), text: text), .day)
        }
        guard rest.first == "\t", let end = rest.dropFirst().firstRange(of: ":\t") else { return nil }
        let person = String(rest[..<end.lowerBound].trimmed)
        return (Message(seconds: seconds, person: person, text: String(rest[end.upperBound...])), .recording)
    }

    private static func add(_ message: Message, to log: inout MeetingLog, _ symbols: ReactionSymbols) {
        let text = message.text.trimmed
        if text.hasPrefix("Reacted to "), let with = text.lastRange(of: " with ") {
            append(String(text[with.upperBound...].trimmed), message, to: &log)
        } else if text.hasPrefix("Removed a"), let from = text.firstRange(of: " reaction from ") {
            let symbol = text[..<from.lowerBound].split(separator: " ").last.map(String.init) ?? ""
            let taken = log.entries.lastIndex { $0.person == message.person && $0.symbol == symbol }
            if let taken { log.entries.remove(at: taken) }
        } else if symbols.type(of: String(text)) != nil {
            append(String(text), message, to: &log)
        }
    }

    private static func append(_ symbol: String, _ message: Message, to log: inout MeetingLog) {
        log.entries.append(MeetingLog.Entry(seconds: message.seconds, symbol: symbol, person: message.person))
    }
}

extension Substring {
    /// Returns the last place of a text.
    fileprivate func lastRange(of text: String) -> Range<Index>? { ranges(of: text).last }
}
