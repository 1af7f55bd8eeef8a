import Foundation
import Reactions
import Testing
import TestSupport

@testable import Effects

/// `Assets/Editor/effect.schema.json` describes the keys that the program reads. The effect editor makes its controls
/// from it.
@Suite("The schema of effects") struct EffectSchemaTests {
    private static let file = Repository.root.appending(path: "Assets/Editor/effect.schema.json")

    private static func schema() throws -> JSONValue {
        try JSONValue(parsing: String(contentsOf: file, encoding: .utf8))
    }

    /// A key of a description: its path, and what the schema says of it.
    private typealias Property = (path: [String], schema: JSONValue)

    /// The properties of an object and of the objects in it.
    private static func properties(of schema: JSONValue, at path: [String] = []) -> [Property] {
        guard case .object(let fields)? = schema["properties"] else { return [] }
        return fields.flatMap { key, value in [(path + [key], value)] + properties(of: value, at: path + [key]) }
    }

    @Test("It has each key that descriptions may have, and no other")
    func keys() throws {
        let schema = try Self.schema()
        let emitter = try #require(schema["$defs"]?["emitter"])
        let described = Set((Self.properties(of: schema) + Self.properties(of: emitter)).compactMap(\.path.last))
        let folder = Repository.root.appending(path: "Sources/Effects/Description")
        var read: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let source = try String(contentsOf: file, encoding: .utf8)
            read.formUnion(
                source.matches(of: /fields\.(?:optional|value|required|plain|number|steps|name)\("(\w+)"/)
                    .map { String($0.1) })
        }
        #expect(described == read, "\(described.symmetricDifference(read).sorted())")
    }

    @Test("Its defaults are those of the program")
    func defaults() throws {
        let schema = try Self.schema()
        let emitter = try #require(schema["$defs"]?["emitter"])
        func text(_ value: JSONValue) throws -> String {
            switch value {
            case .text(let text): "\"\(text)\""
            case .flag(let flag): "\(flag)"
            default: "\(try #require(value.number))"
            }
        }
        func decoded(_ json: String) throws -> String {
            var result = ""
            dump(try EffectDescription(json: Array(json.utf8), file: "a.json"), to: &result)
            return result
        }
        func check(_ properties: [Property], in frame: (String) -> String) throws {
            for (path, property) in properties {
                guard let value = property["default"] else { continue }
                let field = "\"\(path.last!)\": \(try text(value))"
                let (without, with) =
                    path.count == 1 ? ("", ", " + field) : (", \"\(path[0])\": {}", ", \"\(path[0])\": {\(field)}")
                #expect(try decoded(frame(without)) == decoded(frame(with)), "\(path)")
            }
        }
        try check(Self.properties(of: schema)) { "{\"type\": \"a\", \"emitters\": []\($0)}" }
        try check(Self.properties(of: emitter)) { "{\"type\": \"a\", \"emitters\": [{\"count\": 3\($0)}]}" }
    }
}
