import Foundation

/// A generated part of a documentation page.
package enum GeneratedSection {
    /// Returns whether a page has these lines between two others; with `FLOURISH_UPDATE_PAGES` they are written there.
    ///
    /// - Parameters:
    ///   - page: its path in the repository.
    ///   - start: the line before the part, which ends in a line break.
    ///   - end: the text after it.
    package static func isCurrent(
        _ lines: [String], between start: String, and end: String, of page: String
    ) throws -> Bool {
        try isCurrent(lines.map { $0 + "\n" }.joined(), after: start, before: end, of: page)
    }

    /// Returns whether a page has a text between two others; with `FLOURISH_UPDATE_PAGES` it is written there.
    ///
    /// - Parameters:
    ///   - page: its path in the repository.
    ///   - start: the text before it, the first of its kind in the page.
    ///   - end: the text after it.
    package static func isCurrent(
        _ made: String, after start: String, before end: String, of page: String
    ) throws -> Bool {
        let file = Repository.root.appending(path: page)
        let text = try String(contentsOf: file, encoding: .utf8)
        guard let from = text.range(of: start)?.upperBound else { throw MissingMark(page: page, mark: start) }
        guard let to = text[from...].range(of: end)?.lowerBound else { throw MissingMark(page: page, mark: end) }
        guard ProcessInfo.processInfo.environment["FLOURISH_UPDATE_PAGES"] != nil else {
            return text[from..<to] == made
        }
        try "\(text[..<from])\(made)\(text[to...])".write(to: file, atomically: true, encoding: .utf8)
        return true
    }

    private struct MissingMark: Error {
        let page: String
        let mark: String
    }
}
