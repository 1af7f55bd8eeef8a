import Foundation
import Testing
import TestSupport

/// The reference page of the C library, which is made from its header.
@Suite struct ReferencePageTests {
    /// With `FLOURISH_UPDATE_PAGES` the page is written.
    @Test func theReferenceIsThatOfTheHeader() throws {
        let header = try HeaderReader.header()
        let lines = header.declarations.flatMap(header.section)
        #expect(
            try GeneratedSection.isCurrent(
                lines, between: "<!-- from flourish.h -->\n", and: "<!-- end -->", of: "docs/c-reference.md"))
    }

    /// Each function and type has a comment, and nothing is missed.
    @Test func everyDeclarationHasAComment() throws {
        let file = Repository.root.appending(path: "Sources/CFlourish/include/flourish.h")
        let text = try String(contentsOf: file, encoding: .utf8)
        let declaration = /\n(?:flourish_status|void|const \w+ \*)\s*(flourish_\w+)\(/
        let functions = text.matches(of: declaration).map { String($0.1) }
        let types = text.matches(of: /\ntypedef (?:enum|struct) (flourish_\w+)/).map { String($0.1) }
        #expect(functions.count > 15 && types.count == 6)
        #expect(try Set(HeaderReader.header().declarations.map(\.name)) == Set(functions + types))
    }
}
