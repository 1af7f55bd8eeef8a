import Foundation
import Reactions
import TestSupport
import Testing

@testable import Effects

@Suite("Packs of effects")
struct PackContentsTests {
    private static let effect = #"{"type": "flake", "emitters": [{"count": 3, "shape": "sprite", "sprite": "star"}]}"#
    private static let manifest = #"{"name": "winter", "version": "1.0", "about": "Snow.", "effects": ["flake"]}"#
    private static let svg = ##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0L9 9"/></svg>"##
    private static let files = [
        "flourish-pack.json": manifest, "flake.json": effect, "Sprites/star.svg": svg, "LICENSE": "CC0",
    ]

    private static func archive(
        _ files: [String: String] = files, in folder: String = "", change: (inout ZipWriter) -> Void = { _ in }
    ) -> [UInt8] {
        var zip = ZipWriter()
        for (name, text) in files.sorted(by: { $0.key < $1.key }) { zip.add(folder + name, Array(text.utf8)) }
        change(&zip)
        return zip.bytes
    }

    private func read(_ archive: [UInt8]) throws -> PackContents {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "pack.zip")
            try Data(archive).write(to: file)
            return try PackContents(file.path)
        }
    }

    private func fault(_ archive: [UInt8]) -> String {
        do {
            _ = try read(archive)
            return ""
        } catch { return "\(error)" }
    }

    @Test("A folder, an archive and an archive of a folder have the same contents")
    func sources() throws {
        let archives = [
            Self.archive(), Self.archive(in: "winter-1.0/"),
            Self.archive { $0.add("__MACOSX/.x", [1]) },
            Self.archive(in: "winter/") { $0.add("winter/.DS_Store", [1]) },
        ]
        for archive in archives {
            let contents = try read(archive)
            #expect(contents.manifest.effects == ["flake"])
            #expect(contents.files.mapValues { String(decoding: $0, as: UTF8.self) } == Self.files)
        }
        try withTemporaryFolder { folder in
            for (name, text) in Self.files {
                let file = folder.appending(path: name)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try text.write(to: file, atomically: true, encoding: .utf8)
            }
            try "".write(to: folder.appending(path: ".hidden"), atomically: true, encoding: .utf8)
            #expect(try PackContents(folder.path).files.count == Self.files.count)
        }
    }

    @Test("Compressed files are read, with fixed and with dynamic codes")
    func compressed() throws {
        let dynamic =
            "jZZhTsMwDIWv0iPABhs7DohVmpRRaUVC3B6RqovtfM/rn6ZKYuc9P9tJOb+Pw0eZ5nm6DvPX9DM8Pe/2L6+H49tpGC+381h+72P531w3tc+69nm7jN/eU92+zPvVdWz++hkDA82KBb6Oxgjsq1+PBMguG9oZ9bMuJq4cj2UJMBjvMbreHcYeSQtB5OEdtsSiHmjmmz4OF8c9Bs2hh0OlNCZoPemIjsiKRItYmlMAoeZVokWZVEi9/OpAyJuUCoRsmXJeeyUVamPs9metAeXpaJpZU1UJj+abKyb67iso1pbTH3co0bIYoPCxu6RiQgZAiDgX+dcJ6Gg7EhD1pGNCBYB8ecmotreh6vqeBPBjDDa0LRllfS02XdUFgbZG2uZBNkYqkL6DxeKDAia3fac0TDCtYzkiwygvFlkAn7FOVMGuk6Sos4PMQUWQVNIzMV3zJ4q6zEn+iF0hQi4Ry8PgP17bkAnysndYlTj54wA6rnxV/AE="
        var zip = ZipWriter()
        zip.add("LICENSE", Array(try #require(Data(base64Encoded: dynamic)))) {
            ($0.method, $0.size, $0.checksum) = (8, 2817, 1_413_452_573)
        }
        zip.add("NOTICE", Array(try #require(Data(base64Encoded: "K0hMzlYoQCEA")))) {
            ($0.method, $0.size, $0.checksum) = (8, 19, 2_026_240_550)
        }
        for (name, text) in Self.files where name != "LICENSE" { zip.add(name, Array(text.utf8)) }
        let contents = try read(zip.bytes)
        #expect(contents.files["NOTICE"].map { String(decoding: $0, as: UTF8.self) } == "pack pack pack pack")
        #expect(contents.files["LICENSE"]?.count == 2817)
    }

    @Test("The packs of the project match the published schemas, and are sound", arguments: ["plain", "seasonal"])
    func included(name: String) throws {
        let docs = Repository.root.appending(path: "docs")
        let manifestSchema = try JSONSchema(contentsOf: docs.appending(path: "pack.schema.json"))
        let effectSchema = try JSONSchema(
            contentsOf: Repository.root.appending(path: "Assets/Editor/effect.schema.json"))
        let contents = try PackContents(EffectTestAssets.folder + "/Packs/" + name)
        #expect(contents.manifest.name == name)
        for (file, bytes) in contents.files where file.hasSuffix(".json") {
            let schema = file == "flourish-pack.json" ? manifestSchema : effectSchema
            #expect(schema.faults(in: try JSONValue(parsing: String(decoding: bytes, as: UTF8.self))) == [], "\(file)")
        }
        #expect(Set(contents.manifest.effects).isSubset(of: EffectTestAssets.packTypes))
    }

    @Test(
        "Names that lead out of the archive are refused",
        arguments: ["../evil.json", "/etc/evil.json", "a/../../evil.json", "./x.json", "..\\evil.json", "a//b.json"])
    func traversal(name: String) {
        #expect(fault(Self.archive { $0.add(name, [1]) }).contains("leads out of the archive"))
    }

    @Test("Links, special files, encrypted files and doubled names are refused")
    func kinds() {
        #expect(fault(Self.archive { $0.add("a.svg", [1]) { $0.mode = 0o120777 } }).contains("a.svg is a link"))
        #expect(fault(Self.archive { $0.add("a.svg", [1]) { $0.mode = 0o010644 } }).contains("a.svg is a link"))
        #expect(fault(Self.archive { $0.add("a.svg", [1]) { $0.flags = 1 } }).contains("a.svg is encrypted"))
        #expect(fault(Self.archive { $0.add("a.svg", [1]) { $0.method = 12 } }).contains("unknown method"))
        #expect(fault(Self.archive { $0.add("flake.json", [1]) }).contains("occurs twice"))
        #expect(fault(Self.archive { $0.add("a\u{1B}.svg", [1]) }).contains("not plain text"))
    }

    @Test("An archive cannot claim less than it holds, or hold more than the limits")
    func bombs() throws {
        // Three megabytes of zeros; its size is stated as four bytes, as three megabytes, and as a gigabyte.
        let zeros = try #require(
            Data(base64Encoded: "7cEBAQAAAIIg/69uSEABAAAA" + String(repeating: "A", count: 3871) + "vBg=="))
        func bomb(_ name: String, _ size: Int) -> String {
            fault(
                Self.archive {
                    $0.add(name, Array(zeros)) { ($0.method, $0.size) = (8, size) }
                })
        }
        #expect(bomb("README.md", 4).contains("README.md is longer than the archive states"))
        #expect(bomb("README.md", 3_000_000).contains("larger than 256 KiB"))
        #expect(bomb("a.png", 1 << 30).contains("larger than 8192 KiB"))
        // Many entries of the same data.
        let overlapping = Self.archive { zip in
            for index in 0..<50 { zip.add("a\(index).png", [1, 2, 3]) { $0.offset = 0 } }
        }
        #expect(fault(overlapping).contains("overlap"))
        let many = Self.archive { zip in for index in 0..<250 { zip.add("a\(index).md", [1]) } }
        #expect(fault(many).contains("at most 200 files"))
    }

    @Test("Damaged archives are refused and cause no crash")
    func damage() {
        let archive = Self.archive()
        for count in stride(from: 0, to: archive.count, by: 3) { #expect(fault(Array(archive[..<count])) != "") }
        var state: UInt64 = 7
        for _ in 0..<300 {
            var changed = archive
            for _ in 0..<3 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                changed[Int(state >> 33) % changed.count] = UInt8(truncatingIfNeeded: state >> 20)
            }
            _ = fault(changed)
        }
        var wrong = ZipWriter()
        wrong.add("flourish-pack.json", Array(Self.manifest.utf8)) { $0.checksum ^= 1 }
        #expect(fault(wrong.bytes).contains("is damaged in the archive"))
    }

    @Test("A folder's links, unknown files and unlisted effects are refused")
    func folders() throws {
        func fault(_ files: [String: String], link: String? = nil) throws -> String {
            try withTemporaryFolder { folder in
                for (name, text) in files {
                    let file = folder.appending(path: name)
                    try FileManager.default.createDirectory(
                        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                    try text.write(to: file, atomically: true, encoding: .utf8)
                }
                if let link {
                    try FileManager.default.createSymbolicLink(
                        atPath: folder.appending(path: link).path, withDestinationPath: "/etc/passwd")
                }
                do {
                    _ = try PackContents(folder.path)
                    return ""
                } catch { return "\(error)" }
            }
        }
        #expect(try fault(Self.files) == "")
        #expect(try fault(Self.files, link: "README.md").contains("README.md: is a link"))
        #expect(try fault(Self.files, link: "Sprites/b.svg").contains("b.svg: is a link"))
        #expect(try fault(Self.files, link: "Sounds").contains("Sounds: not a file of a pack"))
        #expect(try fault(["flake.json": Self.effect]).contains("flourish-pack.json is missing"))
        for name in ["run.sh", "Sprites/flake.json", "other/a.svg", "a.svg.exe"] {
            #expect(try fault(Self.files.merging([name: "x"]) { $1 }).contains("not a file of a pack"), "\(name)")
        }
        #expect(try fault(Self.files.merging(["more.json": Self.effect]) { $1 }).contains("more.json is not listed"))
        let other = Self.manifest.replacing("flake", with: "storm")
        #expect(try fault(Self.files.merging(["flourish-pack.json": other]) { $1 }).contains("no file storm.json"))
        for (name, text) in [("name", "../x"), ("name", "Sprites"), ("version", "1\\u001b[31m"), ("more", "x")] {
            let wrong = Self.manifest.replacing("{", with: "{\"\(name)\": \"\(text)\", ")
            #expect(try fault(Self.files.merging(["flourish-pack.json": wrong]) { $1 }) != "", "\(name) \(text)")
        }
        let scripted = Self.svg.replacing("<path", with: "<script/><path")
        #expect(try fault(Self.files.merging(["Sprites/star.svg": scripted]) { $1 }).contains("may not use <script>"))
    }
}
