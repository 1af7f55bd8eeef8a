import Foundation
import TestSupport

/// The declarations of `flourish.h` with their comments.
struct HeaderReader {
    struct Declaration {
        /// The lines of the comment, without their marks.
        var comment: [String]
        /// The lines of the declaration.
        var code: [String]

        /// The name of the function; `nil` for a type.
        var function: String? {
            code.joined(separator: " ").firstMatch(of: /\b(flourish_\w+)\(/).map { String($0.1) }
        }

        /// The name of the function or type.
        var name: String {
            function ?? code.joined(separator: " ").firstMatch(of: /(flourish_\w+)/).map { String($0.1) } ?? ""
        }
    }

    var declarations: [Declaration] = []

    static func header() throws -> HeaderReader {
        let file = Repository.root.appending(path: "Sources/CFlourish/include/flourish.h")
        return HeaderReader(try String(contentsOf: file, encoding: .utf8))
    }

    /// Reads declarations that follow a comment and end with a line that ends in `;`. Comments inside of a declaration
    /// belong to its code.
    init(_ text: String) {
        var current: Declaration?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            guard var declaration = current else {
                if line.hasPrefix("///") { current = Declaration(comment: [Self.words(line)], code: []) }
                continue
            }
            if declaration.code.isEmpty, line.hasPrefix("///") {
                declaration.comment.append(Self.words(line))
            } else {
                declaration.code.append(line)
            }
            current = declaration
            // The parts of an enumeration are indented.
            if line.hasSuffix(";"), !line.hasPrefix(" ") || declaration.code.first?.hasPrefix("flourish_status") == true
            {
                declarations.append(declaration)
                current = nil
            }
        }
    }

    private static func words(_ line: String) -> String { String(line.dropFirst(line.hasPrefix("/// ") ? 4 : 3)) }

    /// The pages' section for a declaration.
    func section(_ declaration: Declaration) -> [String] {
        ["", "## \(declaration.name)", ""] + declaration.comment + ["", "```c"] + declaration.code + ["```"]
    }
}
