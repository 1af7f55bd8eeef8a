import Reactions

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
        var parser = Parser(separator: separator)
        for scalar in scalars { try parser.parse(scalar) }
        rows = try parser.finish()
    }

    private struct Parser {
        /// The state of the current cell.
        private enum State {
            /// The state before a cell's first character.
            case begin
            /// The state inside a cell without quotes.
            case plain
            /// The state inside quotes.
            case quoted
            /// The state after a quote that ends a cell, or is the first of two.
            case quote
        }

        let separator: Unicode.Scalar
        private var state = State.begin
        private var (cell, row, rows): (String.UnicodeScalarView, [String], [Row]) = (.init(), [], [])
        private var (line, rowLine, quoteLine) = (1, 1, 1)
        private var followsReturn = false

        init(separator: Unicode.Scalar) { self.separator = separator }

        mutating func parse(_ scalar: Unicode.Scalar) throws(MarkerFault) {
            defer { followsReturn = scalar == "\r" }
            let isEnd = scalar == "\n" || scalar == "\r"
            let isSecondHalf = scalar == "\n" && followsReturn
            if isEnd, !isSecondHalf { line += 1 }
            switch (state, scalar) {
            case (.quoted, "\""): state = .quote
            case (.quoted, _): cell.append(scalar)
            case (.begin, "\""): (state, quoteLine) = (.quoted, line)
            case (.quote, "\""):
                cell.append(scalar)
                state = .quoted
            case (_, separator): endCell()
            case (_, "\n"), (_, "\r"): if !isSecondHalf { endRow() } else { rowLine = line }
            case (.quote, _):
                throw MarkerFault(
                    "line \(line)", "text follows a closing quote; double the quotes inside a cell")
            default:
                cell.append(scalar)
                state = .plain
            }
        }

        mutating func finish() throws(MarkerFault) -> [Row] {
            if case .quoted = state {
                throw MarkerFault("line \(quoteLine)", "the opening quote has no closing quote")
            }
            if !row.isEmpty || !cell.isEmpty || state == .quote { endRow() }
            return rows
        }

        private mutating func endCell() {
            row.append(String(cell))
            (cell, state) = (.init(), .begin)
        }

        private mutating func endRow() {
            endCell()
            // An empty line is no row.
            if row != [""] { rows.append(Row(line: rowLine, cells: row)) }
            (row, rowLine) = ([], line)
        }
    }
}
