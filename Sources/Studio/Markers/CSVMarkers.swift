import Reactions

/// A table of the reactions for spreadsheets, in the format of RFC 4180: https://www.rfc-editor.org/rfc/rfc4180
///
/// Times are seconds with microseconds, as in the plan, on the recording's clock. Columns may be in any order, and all
/// but `reactionType` and `startTime` are optional; unknown ones are ignored. The reader also accepts variants of other
/// locales: semicolons or tabs between the cells, and in that case commas in numbers.
enum CSVMarkers {
    static let columns = [
        "id", "enabled", "reactionType", "startTime", "duration", "gesture", "confidence", "reason", "note",
    ]

    static func write(_ plan: ReactionPlan) -> String {
        var lines = [columns]
        let rows = zip(plan.reactions, plan.numbers).sorted { ($0.0.startTime, $0.1) < ($1.0.startTime, $1.1) }
        for (reaction, id) in rows {
            lines.append([
                "\(id)", reaction.isEnabled ? "true" : "false", reaction.reactionType.rawValue,
                number(reaction.startTime),
                reaction.endTime.map { number($0 - reaction.startTime) } ?? "", reaction.gesture?.rawValue ?? "",
                reaction.confidence.map { JSONLine.rounded($0, places: 3).plainText } ?? "",
                reaction.reason?.rawValue ?? "", reaction.note ?? "",
            ])
        }
        return lines.map { $0.map(quoted).joined(separator: ",") + "\r\n" }.joined()
    }

    private static func number(_ seconds: Double) -> String { JSONLine.rounded(seconds, places: 6).plainText }

    private static func quoted(_ cell: String) -> String {
        // According to the standard, a blank at an end, or a semicolon, needs no quotes. But programs that guess the
        // format need them.
        guard
            cell.unicodeScalars.contains(where: { "\",;\t\r\n".unicodeScalars.contains($0) }) || cell.first == " "
                || cell.last == " "
        else { return cell }
        return "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// Reads the table.
    ///
    /// - Parameter sourceStart: The recording's first time stamp, in seconds.
    /// - Throws: The error, with its line.
    static func read(_ text: String, sourceStart: Double) throws(MarkerFault) -> FoundMarkers {
        let table = try CSVTable(text)
        guard let header = table.rows.first else {
            throw MarkerFault("", "the table is empty; its first row must name the columns")
        }
        var places: [String: Int] = [:]
        for (index, name) in header.cells.enumerated() { places[name.trimmed.lowercased()] = index }
        for name in ["reactionType", "startTime"] where places[name.lowercased()] == nil {
            throw MarkerFault("line \(header.line)", "the first row lacks the column \(name)")
        }
        var markers: [FoundMarker] = []
        for row in table.rows.dropFirst() where row.cells.contains(where: { !$0.trimmed.isEmpty }) {
            markers.append(
                try Row(row, places: places, hasCommas: table.separator != ",").marker(sourceStart: sourceStart))
        }
        return FoundMarkers(markers: markers, tolerance: 0.000_001_5, isExact: true, problem: "mend startTime")
    }

    private struct Row {
        let row: CSVTable.Row
        let places: [String: Int]
        let hasCommas: Bool

        init(_ row: CSVTable.Row, places: [String: Int], hasCommas: Bool) {
            (self.row, self.places, self.hasCommas) = (row, places, hasCommas)
        }

        func marker(sourceStart: Double) throws(MarkerFault) -> FoundMarker {
            guard let start = try number("startTime") else { throw fault("startTime", "is missing") }
            var marker = FoundMarker(
                place: "line \(row.line)", id: try id(), title: cell("reactionType") ?? "", start: start - sourceStart)
            marker.isEnabled = try flag("enabled")
            marker.note = places["note"].map { $0 < row.cells.count ? row.cells[$0] : "" }
            if places["duration"] != nil {
                let seconds = try number("duration")
                if let seconds, seconds <= 0 {
                    throw fault("duration", "must be greater than 0, or empty for the effect's own")
                }
                marker.length = seconds.map { .seconds($0) } ?? .own
            }
            return marker
        }

        /// Returns the contents of a cell; `nil` if it is empty or there is no such column.
        private func cell(_ column: String) -> String? {
            guard let index = places[column.lowercased()], index < row.cells.count else { return nil }
            let text = row.cells[index].trimmed
            return text.isEmpty ? nil : String(text)
        }

        private func id() throws(MarkerFault) -> Int? {
            guard let text = cell("id") else { return nil }
            guard let id = Int(text) else { throw fault("id", "'\(text.prefix(40))' is not a whole number") }
            return id
        }

        private func number(_ column: String) throws(MarkerFault) -> Double? {
            guard let text = cell(column) else { return nil }
            let plain = hasCommas ? String(text.map { $0 == "," ? "." : $0 }) : text
            guard let number = Double(plain), number.isFinite else {
                throw fault(column, "'\(text.prefix(40))' is not a number of seconds")
            }
            return number
        }

        private func flag(_ column: String) throws(MarkerFault) -> Bool? {
            guard let text = cell(column) else { return nil }
            switch text.lowercased() {
            case "true", "yes", "1": return true
            case "false", "no", "0": return false
            default: throw fault(column, "must be true or false, not '\(text.prefix(40))'")
            }
        }

        private func fault(_ column: String, _ message: String) -> MarkerFault {
            MarkerFault("line \(row.line): \(column)", message)
        }
    }
}

/// The cells of a table in text: https://www.rfc-editor.org/rfc/rfc4180
struct CSVTable: Sendable, Hashable {
    struct Row: Sendable, Hashable {
        /// The line on which it begins, from 1.
        var line: Int
        var cells: [String]
    }

    let rows: [Row]
    /// The separator of cells: the most frequent one of comma, semicolon and tab in the first line.
    let separator: Unicode.Scalar

    /// - Throws: An error for a quote that does not end, or ends inside a cell.
    init(_ text: String) throws(MarkerFault) {
        let scalars = Array(text.unicodeScalars)
        let first = scalars.prefix { $0 != "\n" && $0 != "\r" }
        separator = [",", ";", "\t"].max { a, b in first.count { $0 == a } < first.count { $0 == b } } ?? ","
        var reader = Reader(scalars: scalars, separator: separator)
        var rows: [Row] = []
        while reader.next != nil {
            let row = try reader.row()
            // An empty line is no row.
            if row.cells != [""] { rows.append(row) }
        }
        self.rows = rows
    }

    private struct Reader {
        let scalars: [Unicode.Scalar]
        let separator: Unicode.Scalar
        private var place = 0
        private var line = 1

        init(scalars: [Unicode.Scalar], separator: Unicode.Scalar) {
            (self.scalars, self.separator) = (scalars, separator)
        }

        /// The next character; `nil` at the end.
        var next: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

        mutating func row() throws(MarkerFault) -> Row {
            var row = Row(line: line, cells: [])
            repeat { row.cells.append(try cell()) } while skip(separator)
            if skip("\r") { _ = skip("\n") } else { _ = skip("\n") }
            line += 1
            return row
        }

        /// True if no character of a cell follows.
        private var isAtEndOfCell: Bool { next == nil || next == separator || next == "\n" || next == "\r" }

        private mutating func cell() throws(MarkerFault) -> String {
            if skip("\"") { return try quotedCell() }
            let start = place
            while !isAtEndOfCell { place += 1 }
            return String(String.UnicodeScalarView(scalars[start..<place]))
        }

        private mutating func quotedCell() throws(MarkerFault) -> String {
            let start = line
            var cell = String.UnicodeScalarView()
            while let scalar = next {
                place += 1
                // Two quotes are one of the cell.
                if scalar == "\"", !skip("\"") {
                    guard isAtEndOfCell else {
                        throw MarkerFault(
                            "line \(line)", "text follows a closing quote; double the quotes inside a cell")
                    }
                    return String(cell)
                }
                if scalar == "\r" || scalar == "\n" && scalars[place - 2] != "\r" { line += 1 }
                cell.append(scalar)
            }
            throw MarkerFault("line \(start)", "the opening quote has no closing quote")
        }

        private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
            guard next == scalar else { return false }
            place += 1
            return true
        }
    }
}
