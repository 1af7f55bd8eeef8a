import Flourish
import Foundation
import TestSupport
import Testing

@testable import FlourishControl

/// The effect editor with one effect of the user, and its client.
struct EditorBench: PageBench {
    let folder: URL
    let server: EffectEditorServer

    static let bubbles = """
        {"type": "bubbles", "duration": 0.5, "emitters": [{"count": 3, "shape": "disc", "size": 0.3, "colours": ["#ff0000"]}]}
        """

    static func with(_ first: String? = nil, _ body: @Sendable (EditorBench) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let effects = folder.appending(path: "effects")
            try FileManager.default.createDirectory(at: effects, withIntermediateDirectories: true)
            try Data(bubbles.utf8).write(to: effects.appending(path: "bubbles.json"))
            var configuration = Configuration()
            configuration.resources = Resources(assets: Repository.root.appending(path: "Assets").path)
            let editor = try EffectEditor(first, folder: effects.path, configuration: configuration)
            let server = try await EffectEditorServer(address: .loopback, editor: editor)
            let work = Task { await editor.run() }
            do { try await body(EditorBench(folder: effects, server: server)) } catch {
                work.cancel()
                await server.stop()
                throw error
            }
            work.cancel()
            await work.value
            await server.stop()
        }
    }

    var url: String { server.url }
    var eventLines: Int { 13 }
    func file(_ name: String) -> URL { folder.appending(path: name) }

    static let view = "seed=1&height=90&wall=150&from=2"

    /// Draws a description, and returns the records: a frame's number and its bytes.
    func draw(_ text: String, as name: String = "bubbles") async throws -> [(number: UInt32, bytes: [UInt8])] {
        let answer = try await ask("POST", "preview?name=\(name)&\(Self.view)", [Self.json], body: text)
        #expect(answer.head.contains(" 200 "), "\(answer.head)")
        var bytes = Self.unchunked(answer.body)[...], records: [(UInt32, [UInt8])] = []
        func number() -> UInt32 { bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
        while bytes.count >= 8 {
            let index = number()
            bytes = bytes.dropFirst(4)
            let size = Int(number())
            records.append((index, Array(bytes.dropFirst(4).prefix(size))))
            bytes = bytes.dropFirst(4 + size)
        }
        return records
    }

    private static func unchunked(_ body: [UInt8]) -> [UInt8] {
        var (rest, result): (ArraySlice<UInt8>, [UInt8]) = (body[...], [])
        while let end = rest.firstRange(of: Array("\r\n".utf8)),
            let size = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16), size > 0
        {
            result += rest[end.upperBound...].prefix(size)
            rest = rest[end.upperBound...].dropFirst(size + 2)
        }
        return result
    }
}

@Suite(.timeLimit(.minutes(Hang.minutes))) struct EffectEditorServerTests {
    private func text(_ body: [UInt8]) -> String { String(decoding: body, as: UTF8.self) }

    @Test func thePageAndItsResourcesAreServed() async throws {
        try await EditorBench.with("bubbles") { bench in
            let page = try await bench.ask("GET", "")
            #expect(page.head.contains(" 200 ") && page.head.contains("default-src 'none'"))
            let scripts = text(page.body).matches(of: /(?:src|href)="([\w.]+)"/).map { String($0.1) }
            #expect(scripts.contains("editor.js"))
            for name in scripts + ["requests.js", "words.js", "effect.schema.json", "icons/rain.png"] {
                #expect(try await bench.status("GET", name) == 200, "\(name)")
            }
            #expect(text(try await bench.ask("GET", "session").body).contains(#""first":"bubbles""#))
            #expect(try await bench.status("GET", "../Reactions/rain.json") == 404)
            let effect = try await bench.ask("GET", "effect?name=bubbles")
            let value = try JSONValue(parsing: text(effect.body))
            #expect(value["text"]?.string == EditorBench.bubbles && value["isBuiltIn"]?.boolean == false)
            #expect(value["sprites"]?.array?.contains(.text("heart")) == true)
            #expect(try await bench.status("GET", "effect?name=nothing") == 404)
            #expect(try await bench.status("GET", "effect?name=../effects/bubbles") == 404)
        }
    }

    @Test func otherPagesAndOtherPeopleAreRefused() async throws {
        try await EditorBench.with { (bench) async throws in
            let target = "effect?name=bubbles"
            for field in ["Origin: http://example.org", "Sec-Fetch-Site: cross-site"] {
                let fields = [EditorBench.json, field]
                #expect(try await bench.status("PUT", target, fields, body: EditorBench.bubbles) == 403, "\(field)")
            }
            #expect(try await bench.status("GET", target, host: "example.org:80") == 403)
            let token = String(repeating: "0", count: 32)
            #expect(try await bench.status("GET", target, token: token) == 404)
            #expect(try await bench.status("PUT", target, body: EditorBench.bubbles) == 415)
            #expect(try await bench.status("POST", "preview?name=bubbles&\(EditorBench.view)", body: "{}") == 415)
            let large = String(repeating: " ", count: 256 * 1024 + 1)
            #expect(try await bench.status("PUT", target, [EditorBench.json], body: large) == 413)
            #expect(try String(contentsOf: bench.file("bubbles.json"), encoding: .utf8) == EditorBench.bubbles)
        }
    }

    @Test func aDescriptionIsDrawnAndMeasured() async throws {
        try await EditorBench.with { bench in
            let records = try await bench.draw(EditorBench.bubbles)
            let messages = try records.filter { $0.number == .max }.map { try JSONValue(parsing: text($0.bytes)) }
            // Half a second of the effect, and a quarter before and after.
            #expect(messages.first?["frames"]?.integer == 30 && messages.first?["height"]?.integer == 90)
            #expect(messages.last?["meanMilliseconds"]?.number ?? 0 > 0 && messages.last?["hiddenAt"] == .null)
            let frames = records.filter { $0.number < 30 }
            #expect(frames.map(\.number) == Array(0..<30))
            #expect(frames.allSatisfy { $0.bytes.starts(with: [0xFF, 0xD8]) })
            // The frame that was asked for comes first; it is before the effect, and unlike those with it.
            #expect(records[1].number == .max - 1 && records[1].bytes == frames[2].bytes)
            #expect(frames[15].bytes != frames[2].bytes)
            let green = try await bench.draw(EditorBench.bubbles.replacing("#ff0000", with: "#00ff00"))
            #expect(green.first { $0.number == 15 }?.bytes != frames[15].bytes)
            #expect(green.first { $0.number == 2 }?.bytes == frames[2].bytes)
        }
    }

    @Test func flashesAreLimitedAndReported() async throws {
        let flashing = """
            {"type": "bubbles", "duration": 2, "exit": 0, "emitters": [
              {"rate": 6, "life": 0.03, "anchor": "frame", "x": 0.5, "y": 0.5, "shape": "disc", "size": 4, "colours": ["#ffffff"]}]}
            """
        try await EditorBench.with { bench in
            let records = try await bench.draw(flashing)
            let figures = try JSONValue(parsing: text(try #require(records.last).bytes))
            #expect(figures["flashes"]?.integer == 3, "\(figures)")
            let hiddenAt = try #require(figures["hiddenAt"]?.number)
            #expect((0.3...1).contains(hiddenAt))
        }
    }

    @Test(arguments: [
        ("not JSON", "line 1", "a value is expected"),
        (#"{"type": "bubbles", "emitters": [{"count": 1e9}]}"#, "emitters[0].count", "between 1 and 5000"),
        (#"{"type": "bubbles", "emitters": [], "speed": 1}"#, "speed", "unknown key"),
        (
            #"{"type": "bubbles", "emitters": [{"count": 1, "shape": "sprite", "sprite": "nothing"}]}"#, "",
            "the sprite of bubbles is missing"
        ),
    ])
    func badDescriptionsAreRefusedWithThePlace(description: String, place: String, message: String) async throws {
        try await EditorBench.with { bench in
            for (method, target) in [
                ("POST", "preview?name=bubbles&\(EditorBench.view)"), ("PUT", "effect?name=bubbles"),
            ] {
                let answer = try await bench.ask(method, target, [EditorBench.json], body: description)
                let told = try JSONValue(parsing: text(answer.body))
                #expect(answer.head.contains(" 422 "), "\(method)")
                #expect(told["place"]?.string == place && told["error"]?.string?.contains(message) == true, "\(told)")
            }
            #expect(try String(contentsOf: bench.file("bubbles.json"), encoding: .utf8) == EditorBench.bubbles)
            for query in ["name=../x&\(EditorBench.view)", "name=bubbles&seed=1&height=9999&wall=150&from=0", "seed=1"]
            {
                let status = try await bench.status("POST", "preview?\(query)", [EditorBench.json], body: "{}")
                #expect(status == 400, "\(query)")
            }
        }
    }

    @Test func filesAreReplacedOnlyInTheKnownVersion() async throws {
        try await EditorBench.with { bench in
            func save(_ text: String, as name: String, _ fields: [String] = []) async throws -> Int {
                try await bench.status("PUT", "effect?name=\(name)", [EditorBench.json] + fields, body: text)
            }
            let changed = EditorBench.bubbles.replacing("0.5", with: "2")
            #expect(try await save(changed, as: "bubbles") == 412, "it exists")
            #expect(try await save(changed, as: "bubbles", ["If-Match: \"0-0\""]) == 412, "it is another version")
            #expect(try await save(changed, as: "foam") == 422, "the type is another one")
            #expect(try await save(changed.replacing("bubbles", with: "rain"), as: "rain") == 422, "it is built in")
            #expect(try await save(changed, as: "../bubbles") == 400)
            #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder.path) == ["bubbles.json"])

            let known = try JSONValue(parsing: text(try await bench.ask("GET", "effect?name=bubbles").body))
            let version = try #require(known["version"]?.string)
            #expect(try await save(changed, as: "bubbles", ["If-Match: \"\(version)\""]) == 200)
            #expect(try String(contentsOf: bench.file("bubbles.json"), encoding: .utf8) == changed)
            #expect(try await save(changed, as: "bubbles", ["If-Match: \"\(version)\""]) == 412, "it was replaced")
            let foam = changed.replacing("bubbles", with: "foam")
            #expect(try await save(foam, as: "foam") == 200)
            #expect(try String(contentsOf: bench.file("foam.json"), encoding: .utf8) == foam)
        }
    }

    @Test func changesByOtherProgramsArePublished() async throws {
        try await EditorBench.with { bench in
            let before = try await bench.event("effects") { $0.contains(#""name":"bubbles""#) }
            try Data("nonsense".utf8).write(to: bench.file("bubbles.json"))
            _ = try await bench.event("effects") { $0 != before && $0.contains(#""name":"bubbles""#) }
            let answer = try JSONValue(parsing: text(try await bench.ask("GET", "effect?name=bubbles").body))
            #expect(answer["fault"]?.string?.contains("line 1") == true)
            try FileManager.default.removeItem(at: bench.file("bubbles.json"))
            _ = try await bench.event("effects") { !$0.contains("bubbles") }
        }
    }
}
