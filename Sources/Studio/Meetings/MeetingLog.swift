package import Reactions

/// The reactions that the participants of a meeting sent, as a log of the meeting lists them.
package struct MeetingLog: Sendable, Hashable {
    /// The clock of a log's times.
    package enum Clock: Sendable, Hashable {
        /// Seconds from the beginning of the recording.
        case recording
        /// Seconds since midnight, of a clock on the wall.
        case day
        /// Seconds since the beginning of 1970, UTC.
        case world
    }

    /// A reaction that a participant sent.
    package struct Entry: Sendable, Hashable {
        /// Seconds on ``MeetingLog/clock``.
        package var seconds: Double
        /// An emoji, or the name of a reaction.
        package var symbol: String
        /// The name of the participant; `nil` if the log has none.
        package var person: String?
        /// The number of the tile; `nil` if the log has none.
        package var tile: Int?
    }

    /// The file's name in errors.
    private(set) var name = "the log"
    package var clock: Clock
    /// The reactions, in the order of the log.
    package var entries: [Entry] = []
    /// The number of reactions that were sent while the meeting was not recorded.
    package var unrecorded = 0

    init(_ clock: Clock) { self.clock = clock }

    /// Reads a log. Its content determines its format.
    ///
    /// - Parameters:
    ///   - bytes: The file's content.
    ///   - name: The file's name in errors.
    ///   - symbols: The known reactions. A chat message that is one of them is a reaction.
    /// - Throws: ``FlourishError/Code/inputUnusable`` with the line of the first error.
    package init(_ bytes: [UInt8], name: String, symbols: ReactionSymbols) throws(FlourishError) {
        do throws(MarkerFault) {
            self = try Self.read(bytes, symbols)
            self.name = name
        } catch {
            let place = error.place.isEmpty ? "" : "\(error.place): "
            throw FlourishError(.inputUnusable, "\(name): \(place)\(error.message)")
        }
    }

    /// Reads the file of a log.
    ///
    /// - Throws: ``FlourishError/Code/inputUnavailable`` if it cannot be read, and as ``init(_:name:symbols:)``.
    package init(contentsOf path: String, symbols: ReactionSymbols) throws(FlourishError) {
        let bytes = try NamedFile.read(path, advice: "give the log of a meeting")
        guard bytes.count <= NamedFile.greatestSize else {
            throw FlourishError(.inputUnusable, "\(path): too large for the log of a meeting")
        }
        try self.init(bytes, name: path, symbols: symbols)
    }

    private static func read(_ bytes: [UInt8], _ symbols: ReactionSymbols) throws(MarkerFault) -> MeetingLog {
        let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        switch content.first(where: { $0 > 32 }) {
        case nil: throw MarkerFault("", "is empty; give the log of a meeting")
        case UInt8(ascii: "<"): return try BigBlueButtonLog.read(Array(content), symbols)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return try TableLog.read(json: Array(content))
        default: break
        }
        guard let text = String(validating: content, as: UTF8.self), !text.contains("\0") else {
            throw MarkerFault("", "is not a text in UTF-8; give the log of a meeting")
        }
        if let log = ZoomLog.read(text, symbols) { return log }
        return try TableLog.read(csv: text)
    }
}

extension MeetingLog {
    /// Returns the time that a text states, and its clock; `nil` if the text is no time.
    ///
    /// Seconds such as `12.5` and hours such as `0:12:05` are of the clock `recording`, dates such as
    /// `2024-02-13T09:37:40.314Z` of the clock `world`. A date without a zone is UTC.
    static func time(_ text: some StringProtocol) -> (seconds: Double, clock: Clock)? {
        if let number = Double(text) { return number.isFinite && abs(number) <= 1e9 ? (number, .recording) : nil }
        if let separator = text.firstIndex(where: { $0 == "T" || $0 == " " }) {
            guard let day = day(text[..<separator]) else { return nil }
            let (clock, zone) = zone(text[text.index(after: separator)...])
            guard let zone, let seconds = hours(clock) else { return nil }
            return (Double(day) * 86_400 + seconds - zone, .world)
        }
        let isNegative = text.hasPrefix("-")
        guard let seconds = hours(text.dropFirst(isNegative ? 1 : 0)) else { return nil }
        return (isNegative ? -seconds : seconds, .recording)
    }

    /// Returns the seconds of `1:02:03.5`, `02:03` and the like.
    static func hours(_ text: some StringProtocol) -> Double? {
        let isPlain = text.allSatisfy { $0.isNumber || $0 == ":" || $0 == "." }
        guard isPlain, !text.split(separator: ":").contains(where: { $0.utf8.count > 12 }) else { return nil }
        return ClockText.seconds(text)
    }

    /// Returns the days from 1970-01-01 to a date of the Gregorian calendar.
    private static func day(_ text: some StringProtocol) -> Int? {
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, (1970...9999).contains(parts[0]), (1...12).contains(parts[1]),
            (1...31).contains(parts[2])
        else { return nil }
        // The year begins in March, so that the leap day is its last day.
        let year = parts[1] > 2 ? parts[0] : parts[0] - 1
        let month = (parts[1] + 9) % 12
        return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + parts[2] - 1 - 719_468
    }

    /// Splits `09:37:40.314-03:00` into the time and the seconds of its zone, which are `nil` for an unknown zone.
    private static func zone(_ text: some StringProtocol) -> (String, Double?) {
        if text.hasSuffix("Z") { return (String(text.dropLast()), 0) }
        guard let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }) else { return (String(text), 0) }
        let digits = String(text[text.index(after: sign)...].filter { $0 != ":" })
        guard let number = Int(digits), digits.count == 2 || digits.count == 4, number >= 0 else {
            return (String(text[..<sign]), nil)
        }
        let minutes = digits.count == 2 ? number * 60 : number / 100 * 60 + number % 100
        return (String(text[..<sign]), Double(text[sign] == "-" ? -minutes : minutes) * 60)
    }
}
