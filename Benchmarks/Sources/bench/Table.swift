import Foundation

/// One section of the report.
struct Table {
    enum Cell {
        case text(String)
        case number(Double, places: Int)
        /// A limit, and a value that indicates whether the number beside it meets it.
        case limit(Double, places: Int, met: Bool)
        /// A target for a limit, and a value that indicates whether the number beside it reaches it. A missed target
        /// is no failure.
        case aim(Double, places: Int, reached: Bool)

        var text: String {
            switch self {
            case .text(let text): text
            case .number(let value, let places): String(format: "%.\(places)f", value)
            case .limit(let value, let places, let met):
                String(format: "%.\(places)f", value) + (met ? " ok" : " EXCEEDED")
            case .aim(let value, let places, let reached):
                String(format: "%.\(places)f", value) + (reached ? " reached" : " NOT REACHED")
            }
        }

        var json: Any {
            switch self {
            case .text(let text): text
            case .number(let value, let places):
                Double(String(format: "%.\(places)f", value)) ?? value
            case .limit(let value, _, let met): ["value": value, "met": met] as [String: Any]
            case .aim(let value, _, let reached): ["value": value, "reached": reached] as [String: Any]
            }
        }
    }

    var name: String
    var title: String
    var columns: [String]
    var rows: [[Cell]] = []

    init(name: String, title: String, columns: [String]) {
        self.name = name
        self.title = title
        self.columns = columns
    }

    var withinLimits: Bool {
        rows.joined().allSatisfy { if case .limit(_, _, let met) = $0 { met } else { true } }
    }

    /// A Markdown table that is also readable as plain text.
    var markdown: String {
        let texts = [columns] + rows.map { $0.map(\.text) }
        let widths = columns.indices.map { column in texts.map { $0[column].count }.max() ?? 0 }
        let lines = texts.map { row in
            "| " + zip(row, widths).map { padded($0, to: $1) }.joined(separator: " | ") + " |"
        }
        let rule = "| " + widths.map { String(repeating: "-", count: $0) }.joined(separator: " | ") + " |"
        return ([title, "", lines[0], rule] + lines.dropFirst()).joined(separator: "\n")
    }

    private func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: width - text.count)
    }

    var json: [String: Any] {
        // With several limits, each is that of the column before.
        let hasLimits = columns.count { $0 == "limit" } > 1
        let keys = columns.indices.map { column in
            hasLimits && column > 0 && columns[column] == "limit" ? "\(columns[column - 1]), limit" : columns[column]
        }
        let objects = rows.map { row in Dictionary(uniqueKeysWithValues: zip(keys, row.map(\.json))) }
        return ["name": name, "title": title, "rows": objects]
    }
}

/// All measurements.
struct Report {
    var tables: [Table] = []

    var withinLimits: Bool { tables.allSatisfy(\.withinLimits) }

    var text: String { tables.map(\.markdown).joined(separator: "\n\n") }

    func json() throws -> Data {
        let object: [String: Any] = ["tables": tables.map(\.json), "withinLimits": withinLimits]
        return try JSONSerialization.data(
            withJSONObject: object, options: [.prettyPrinted, .sortedKeys])
    }
}
