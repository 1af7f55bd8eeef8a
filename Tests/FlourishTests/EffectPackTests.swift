import Foundation
import Testing
import TestSupport

@testable import Flourish

@Suite("Installed packs of effects")
struct EffectPackTests {
    private static let effect = #"{"type": "NAME", "emitters": [{"count": 3, "shape": "disc"}]}"#

    private func write(_ text: String, _ path: String) throws {
        let file = URL(filePath: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    /// Writes a pack as a folder, and returns its path.
    private func pack(_ name: String, _ effects: [String], in folder: URL, broken: Bool = false) throws -> String {
        let path = folder.path + "/source-\(name)"
        try? FileManager.default.removeItem(atPath: path)
        let list = effects.map { "\"\($0)\"" }.joined(separator: ", ")
        try write("{\"name\": \"\(name)\", \"effects\": [\(list)]}", path + "/flourish-pack.json")
        for effect in effects {
            let text = Self.effect.replacing("NAME", with: effect)
            try write(broken ? text.replacing("3", with: "1e9") : text, path + "/\(effect).json")
        }
        return path
    }

    private func message(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch { return "\(error)" }
    }

    private func contents(_ folder: String) -> [String] {
        (FileManager.default.subpaths(atPath: folder) ?? []).sorted()
    }

    @Test func includedPacksInstallAndTheirEffectsExist() throws {
        try withTemporaryFolder { root in
            let folder = root.path + "/effects"
            let included = try EffectPack.included()
            #expect(included.map(\.name) == ["plain", "seasonal"])
            for pack in included { #expect(try EffectPack.install(pack.name, in: folder).effects == pack.effects) }
            #expect(try EffectPack.installed(in: folder).map(\.name) == ["plain", "seasonal"])
            var configuration = Configuration()
            configuration.resources = .located()
            configuration.resources?.effectFolders = [folder]
            let types = try ReactionSession(configuration: configuration).loadReactionTypes()
            #expect(types.count == 8 + included.flatMap(\.effects).count)
            try EffectPack.remove("plain", from: folder)
            #expect(contents(folder).allSatisfy { $0.hasPrefix("seasonal") })
            try EffectPack.remove("seasonal", from: folder)
            #expect(contents(folder) == [])
        }
    }

    @Test func takenNamesAreRefusedAndNothingChanges() throws {
        try withTemporaryFolder { root in
            let folder = root.path + "/effects"
            try write(Self.effect.replacing("NAME", with: "mine"), folder + "/mine.json")
            try write("", folder + "/notes/readme.txt")
            _ = try EffectPack.install(try pack("first", ["a", "b"], in: root), in: folder)
            let before = contents(folder)
            func fault(_ name: String, _ effects: [String], broken: Bool = false) throws -> String {
                let source = try pack(name, effects, in: root, broken: broken)
                return message { _ = try EffectPack.install(source, in: folder) }
            }
            #expect(try fault("x", ["heart"]).contains("the effect heart has the name of a built-in one"))
            #expect(try fault("x", ["c", "mine"]).contains("mine has the name of an effect of your own"))
            #expect(try fault("x", ["c", "b"]).contains("b has the name of one in the pack first"))
            #expect(try fault("first", ["c"]).contains("installed already"))
            #expect(try fault("notes", ["c"]).contains("exists and is not a pack"))
            let broken = try fault("x", ["c"], broken: true)
            #expect(broken.hasPrefix(root.path + "/source-x/c.json: emitters[0].count"), "\(broken)")
            #expect(contents(folder) == before)
        }
    }

    @Test func replacingAndRemovingTakeExactlyThePack() throws {
        try withTemporaryFolder { root in
            let folder = root.path + "/effects"
            _ = try EffectPack.install(try pack("first", ["a", "b"], in: root), in: folder)
            _ = try EffectPack.install(try pack("second", ["c"], in: root), in: folder)
            let newer = try pack("first", ["b", "d"], in: root.appending(path: "newer"))
            #expect(try EffectPack.install(newer, in: folder, overwrite: true).effects.map(\.rawValue) == ["b", "d"])
            #expect(
                contents(folder + "/first") == ["b.json", "d.json", "flourish-pack.json"])
            #expect(message { try EffectPack.remove("third", from: folder) }.contains("installed: first, second"))
            for name in ["../effects/first", "", ".", "..", "first/."] {
                #expect(message { try EffectPack.remove(name, from: folder) } != "", "\(name)")
            }
            try EffectPack.remove("first", from: folder)
            #expect(contents(folder) == ["second", "second/c.json", "second/flourish-pack.json"])
        }
    }
}
