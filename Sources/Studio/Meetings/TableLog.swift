import Reactions

/// Reads tables of reactions that programs and people write, as CSV or JSON, and messages of Teams as JSON.
///
/// ```
/// time,reaction,name,tile
/// 0:12:05,👍,Jane Doe,
/// 734.5,confetti,,3
/// ```
enum TableLog {
    private static let advice = "give a row such as 0:12:05,👍,Jane Doe"

    // MARK: CSV

    static func read(csv text: String) throws(MarkerFault) -> MeetingLog {
        let table = try CSVTable(text)
        guard let header = table.rows.first else { throw MarkerFault("", "is empty; give the log of a meeting") }
        var places: [String: Int] = [:]
        for (index, name) in header.cells.enumerated() { places[name.trimmed.lowercased()] = index }
        guard places["time"] != nil, places["reaction"] != nil else {
            throw MarkerFault(
                "line \(header.line)",
                "no log of a meeting is known that begins like this; a table needs the columns time and reaction")
        }
        var rows = Rows()
        for row in table.rows.dropFirst() where row.cells.contains(where: { !$0.trimmed.isEmpty }) {
            func cell(_ name: String) -> String {
                places[name].flatMap { $0 < row.cells.count ? String(row.cells[$0].trimmed) : nil } ?? ""
            }
            // Programs of some languages write semicolons between cells, and commas in numbers.
            let time = table.separator == "," ? cell("time") : String(cell("time").map { $0 == "," ? "." : $0 })
            try rows.add(
                time: time, symbol: cell("reaction"), person: cell("name"), tile: cell("tile"),
                at: "line \(row.line)")
        }
        return try rows.log()
    }

    // MARK: JSON

    static func read(json: [UInt8]) throws(MarkerFault) -> MeetingLog {
        let value: JSONValue
        do { value = try JSONFault.decode(JSONValue.self, from: json) } catch {
            throw MarkerFault(error.place, error.message)
        }
        var rows = Rows()
        let list: [JSONValue]
        switch value {
        case .array(let values): list = values
        case .object(let fields):
            // Microsoft Graph returns a list as `value`.
            guard case .array(let values)? = fields["value"] ?? fields["messages"] ?? fields["reactions"] else {
                throw MarkerFault("", "the object has no list reactions, messages or value")
            }
            list = values
        default: throw MarkerFault("", "must be a list of reactions")
        }
        for (index, element) in list.enumerated() {
            let place = "[\(index)]"
            guard case .object(let fields) = element else { throw MarkerFault(place, "must be an object") }
            if case .array(let reactions)? = fields["reactions"] {
                for (number, reaction) in reactions.enumerated() {
                    try addTeams(reaction, at: "\(place).reactions[\(number)]", to: &rows)
                }
            } else if fields["reactionType"] != nil {
                try addTeams(element, at: place, to: &rows)
            } else if fields["time"] != nil || fields["reaction"] != nil {
                try rows.add(
                    time: text(fields["time"]), symbol: text(fields["reaction"]), person: text(fields["name"]),
                    tile: text(fields["tile"]), at: place)
            }
        }
        return try rows.log()
    }

    /// Adds a reaction to a message: https://learn.microsoft.com/graph/api/resources/chatmessagereaction
    private static func addTeams(_ value: JSONValue, at place: String, to rows: inout Rows) throws(MarkerFault) {
        guard case .object(let fields) = value else { throw MarkerFault(place, "must be an object") }
        var person = ""
        if case .object(let identity)? = fields["user"] {
            if case .object(let user)? = identity["user"] { person = text(user["displayName"]) }
            if person.isEmpty { person = text(identity["displayName"]) }
        }
        try rows.add(
            time: text(fields["createdDateTime"]), symbol: text(fields["reactionType"]), person: person, tile: "",
            at: place)
    }

    private static func text(_ value: JSONValue?) -> String {
        switch value {
        case .text(let text)?: String(text.trimmed)
        case .integer(let integer)?: "\(integer)"
        case .number(let number)?: number.plainText
        default: ""
        }
    }

    // MARK: Rows

    /// The rows so far, whose times must be of one clock.
    private struct Rows {
        private var found: MeetingLog?

        mutating func add(
            time: String, symbol: String, person: String, tile: String, at place: String
        ) throws(MarkerFault) {
            guard let (seconds, clock) = MeetingLog.time(time) else {
                throw MarkerFault(
                    place,
                    time.isEmpty
                        ? "has no time; \(advice)"
                        : "'\(time.prefix(40))' is no time; write seconds, 0:12:05 or 2024-02-13T09:37:40Z")
            }
            guard !symbol.isEmpty else { throw MarkerFault(place, "has no reaction; \(advice)") }
            var number: Int?
            if !tile.isEmpty {
                guard let given = Int(tile), given >= 1 else {
                    throw MarkerFault(place, "'\(tile.prefix(40))' is not the number of a tile, from 1")
                }
                number = given
            }
            var log = found ?? MeetingLog(clock)
            guard log.clock == clock else {
                throw MarkerFault(place, "some times have a date and others do not; write all of them in one way")
            }
            log.entries.append(
                MeetingLog.Entry(
                    seconds: seconds, symbol: symbol, person: person.isEmpty ? nil : person, tile: number))
            found = log
        }

        /// - Throws: An error if there are no rows.
        func log() throws(MarkerFault) -> MeetingLog {
            guard let found else { throw MarkerFault("", "has no reactions; \(advice)") }
            return found
        }
    }
}
