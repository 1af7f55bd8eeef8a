/// The cells of a table in text: https://www.rfc-editor.org/rfc/rfc4180
struct CSVTable: Sendable, Hashable {
    struct Row: Sendable, Hashable {
        /// The line that it begins on, from 1.
        var line: Int
        var cells: [String]
    }

    let rows: [Row]
    /// What stands between cells: a comma, or a semicolon or tab where the first line has those instead.
    let separator: Unicode.Scalar

    /// - Throws: a quote that does not end, or ends inside a cell.
    init(_ text: String) throws(MarkerFault) {
        let scalars = Array(text.unicodeScalars)
        let first = scalars.prefix { $0 != "\n" && $0 != "\r" }
        separator = [",", ";", "\t"].max { a, b in first.count { $0 == a } < first.count { $0 == b } } ?? ","
        var parser = Parser(separator: separator)
        for scalar in scalars { try parser.take(scalar) }
        rows = try parser.finish()
    }

    private struct Parser {
        /// The state of the cell that is being read.
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

        mutating func take(_ scalar: Unicode.Scalar) throws(MarkerFault) {
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
                    "line \(line)", "a cell goes on behind its closing quote; double the quotes inside it")
            default:
                cell.append(scalar)
                state = .plain
            }
        }

        mutating func finish() throws(MarkerFault) -> [Row] {
            if case .quoted = state {
                throw MarkerFault("line \(quoteLine)", "the quote that opens here is not closed")
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
