import Foundation
import Reactions
import Testing
import TestSupport

@testable import Effects
@testable import Raster

@Suite("Custom effects")
struct CustomEffectTests {
    private func library(_ files: [String: String]) throws -> EffectLibrary {
        try withTemporaryFolder { folder in
            for (name, text) in files {
                let file = folder.appending(path: name)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try text.write(to: file, atomically: true, encoding: .utf8)
            }
            var library = try EffectTestAssets.library()
            try library.add(folder: folder.path)
            return library
        }
    }

    private func fault(_ files: [String: String]) -> String {
        do {
            _ = try library(files)
            return ""
        } catch {
            return "\(error)"
        }
    }

    private static let svg = ##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0L9 9"/></svg>"##

    private static func flake(_ more: String = "") -> String {
        ##"{"type": "flake", "emitters": [{"count": 3, "shape": "sprite", "sprite": "star"\##(more)}]}"##
    }

    @Test("Custom effects add to the built-in ones, with custom or built-in sprites")
    func added() throws {
        for place in ["star.svg", "Sprites/star.svg"] {
            let library = try library(["flake.json": Self.flake(), place: Self.svg])
            #expect(library.descriptions.count == EffectTestAssets.types.count + 1)
            #expect(library.descriptions["flake"]?.sprites.allSatisfy { library.sprites[$0] != nil } == true)
        }
        let borrowed = try library([
            "flake.json": Self.flake().replacing("star", with: "heart"), "notes.txt": "", ".hidden.json": "x",
        ])
        #expect(borrowed.descriptions["flake"]?.sprites == ["heart"])
    }

    @Test("The worked example of the documentation loads and draws")
    func example() throws {
        let page = try String(
            contentsOf: Repository.root.appending(path: "docs/effects.md"), encoding: .utf8)
        let block = try #require(page.split(separator: "```json\n").dropFirst().first?.split(separator: "```").first)
        let library = try library(["bubbles.json": String(block)])
        let bubbles = try #require(library.descriptions["bubbles"])
        let instance = EffectInstance(description: bubbles, seed: 1, startTime: 0)
        let format = PictureFormat(width: 160, height: 90)
        let renderer = ParticleRenderer(library: library, rasterizer: EffectTestAssets.rasterizer)
        let frame = try EffectTestAssets.draw([instance], at: 2, on: format, with: renderer)
        #expect(frame != EffectTestFrame(format))
        let schema = try JSONSchema(contentsOf: Repository.root.appending(path: "Assets/Editor/effect.schema.json"))
        #expect(schema.faults(in: try JSONValue(parsing: String(block))) == [])
    }

    @Test("The built-in effects match the published schema", arguments: EffectTestAssets.types)
    func schema(type: String) throws {
        let schema = try JSONSchema(contentsOf: Repository.root.appending(path: "Assets/Editor/effect.schema.json"))
        let file = EffectTestAssets.folder + "/Reactions/\(type).json"
        #expect(schema.faults(in: try JSONValue(parsing: String(contentsOfFile: file, encoding: .utf8))) == [])
    }

    @Test(
        "An unusable description yields one line with the file, the place and the remedy",
        arguments: [
            (
                "confetti", ##"{"type": "confetti", "emitters": []}"##,
                "confetti.json: type: the reaction confetti exists already"
            ),
            ("a", ##"{"type": "b", "emitters": []}"##, "a.json: type: must be the file's name without .json"),
            ("a", "{\n \"type\": \"a\",,\n}", "a.json: line 2: a key in double quotes is expected instead of ','"),
            ("a", "{\"type\": \"a\"", "a.json: line 1: the text ends where a comma or } is expected"),
            ("a", "{\"type\": \"a\", \"type\": \"b\"}", "a.json: line 1: the key \"type\" is a duplicate"),
            ("a", "{\"duration\": 1e999}", "a.json: line 1: the number 1e999 is too large"),
            ("a", "{\"duration\": NaN}", "a.json: line 1: a value is expected instead of 'N'"),
            ("a", String(repeating: "[", count: 100_000), "a.json: line 1: the JSON is nested too deeply"),
            ("a", String(repeating: " ", count: 300_000), "a.json: the file is larger than 256 KiB"),
            (
                "a", flake().replacing("flake", with: "a").replacing("star", with: "../../etc/passwd"),
                "a.json: emitters[0].sprite: \"../../etc/passwd\" is not a name"
            ),
            ("a", ##"{"type": "a b", "emitters": []}"##, "a.json: type: \"a b\" is not a name"),
            (
                "flake", flake(),
                "star.svg: the sprite of flake is missing; put it beside the description or in Sprites"
            ),
            (
                "a", ##"{"type": "a", "emitters": [{"count": 1e9}]}"##,
                "a.json: emitters[0].count: must be between 1 and 5000"
            ),
            (
                "a", ##"{"type": "a", "emitters": [{"rate": 9}]}"##,
                "a.json: emitters[0].life: a stream (a \"rate\") requires a \"life\""
            ),
            (
                "a", ##"{"type": "a", "emitters": [{"count": 1, "size": 1e9}]}"##,
                "a.json: emitters[0].size: must be between 0.0001 and 4.0"
            ),
            (
                "a", ##"{"type": "a", "emitters": [{"count": 1, "sizeOverLife": [1e9]}]}"##,
                "a.json: emitters[0].sizeOverLife: must be up to 64 numbers between 0.0 and 4.0"
            ),
            (
                "a", ##"{"type": "a", "emitters": [{"count": 900, "children": [{"count": 900}]}]}"##,
                "a.json: up to 810900 particles would be alive at once; the limit is 12000"
            ),
            (
                "a", ##"{"type": "a", "emitters": [{"count": 900, "size": 4}]}"##,
                "a.json: its particles could cover the picture 2700 times over; the limit is 80"
            ),
        ])
    func faults(name: String, json: String, message: String) throws {
        let fault = fault([name + ".json": json])
        #expect(fault.contains(message), "\(fault)")
        #expect(!fault.contains("\n"))
    }

    @Test(
        "Sprites that load files, expand entities or take hours are refused",
        arguments: [
            "<!DOCTYPE svg [<!ENTITY a 'b'>]><svg/>", "no svg", "<svg><image href=\"#a\"/></svg>",
            "<svg><script/></svg>", "<svg><text>a</text></svg>", "<svg><style>a{}</style></svg>",
            "<svg><filter><feTurbulence numOctaves='99999999'/></filter></svg>",
            "<svg><use href=\"file:///etc/passwd\"/></svg>", "<svg><use xlink:href='x.svg#a'/></svg>",
            "<svg><path fill=\"url(http://example.org/#a)\"/></svg>",
            "<svg><path stroke-dasharray=\"0.0001\"/></svg>", "<svg viewBox=\"0 0 1e9 1\"/>",
            "<svg>" + String(repeating: "<use href=\"#a\"/>", count: 17) + "</svg>",
            "<svg xmlns:dc=\"http://www.w3.org/2000/svg\"><dc:image/></svg>",
        ])
    func sprites(svg: String) {
        #expect(SpriteCheck.fault(in: Array(svg.utf8)) != nil)
        #expect(fault(["flake.json": Self.flake(), "star.svg": svg]).contains("star.svg: "))
    }

    @Test("Editor metadata is accepted")
    func editors() {
        let svg = """
            <?xml version="1.0"?><!-- made by hand --><svg xmlns="http://www.w3.org/2000/svg" \
            viewBox="0 0 9 9"><sodipodi:namedview/><metadata><rdf:RDF/></metadata>\
            <path style="stroke-dasharray:none;fill:url(#a)" d=""/></svg>
            """
        #expect(SpriteCheck.fault(in: Array(svg.utf8)) == nil)
        for sprite in ["drop", "iconFireworks", "iconRain", "iconConfetti", "iconLasers"] {
            let file = EffectTestAssets.folder + "/Sprites/\(sprite).svg"
            #expect(SpriteCheck.fault(in: Array((try? Data(contentsOf: URL(filePath: file))) ?? Data())) == nil)
        }
    }
}
