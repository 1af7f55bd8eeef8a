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

    private static let svg = ##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0L9 9"/></svg>"##

    @Test func filesInFoldersAreInstalledBelowAnyPath() throws {
        try withTemporaryFolder { root in
            let source = try pack("first", ["a"], in: root)
            try write(Self.svg, source + "/Sprites/star.svg")
            let folder = root.path + "/jürg/e\u{301}ffets"
            _ = try EffectPack.install(source, in: folder)
            #expect(contents(folder + "/first").contains("Sprites/star.svg"))
        }
    }

    @Test func soundsThatCannotBeDecodedAreRefused() throws {
        try withTemporaryFolder { root in
            let source = try pack("first", ["a"], in: root)
            try write(
                #"{"type": "a", "sound": "tick", "emitters": [{"count": 3, "shape": "disc"}]}"#, source + "/a.json")
            try write("RIFF    WAVE", source + "/Sounds/tick.wav")
            let folder = root.path + "/effects"
            let fault = message { _ = try EffectPack.install(source, in: folder) }
            #expect(fault.hasPrefix(source + "/Sounds/tick.wav: cannot be decoded"), "\(fault)")
            #expect(contents(folder) == [])
        }
    }

    /// A user may copy a pack by hand, also with folders that an installed pack does not have.
    @Test func aPackInAFolderOfAnotherNameIsRemovedWithAllItsFolders() throws {
        try withTemporaryFolder { root in
            let folder = root.path + "/effects"
            let source = try pack("first", ["a"], in: root)
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: source, toPath: folder + "/first-1.0")
            try write("x", folder + "/first-1.0/.git/objects/ab/cd/ef")
            #expect(try EffectPack.installed(in: folder).map(\.name) == ["first"])
            try EffectPack.remove("first", from: folder)
            #expect(contents(folder) == [])
        }
    }

    /// An effect with the name of one in a pack would prevent every later run.
    @Test func newEffectsTakeNoNameOfAPackAndHideNoPicture() throws {
        try withTemporaryFolder { root in
            let folder = root.path + "/effects"
            _ = try EffectPack.install(try pack("first", ["a"], in: root), in: folder)
            try write(Self.svg, root.path + "/star.svg")
            func make(_ name: String) throws {
                _ = try CustomEffect.make(name, sprite: root.path + "/star.svg", like: .heart, in: folder)
            }
            #expect(message { try make("a") }.contains("a is the name of an effect in the pack first"))
            #expect(message { try make("9x") } != "")
            let before = contents(folder)
            try write("GIF89a", folder + "/star.gif")
            #expect(message { try make("star") }.contains("star.gif: could be shown instead of the new picture"))
            try FileManager.default.removeItem(atPath: folder + "/star.gif")
            #expect(contents(folder) == before)
            try make("star")
            #expect(message { try make("star") }.contains("star.json: exists already"))
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
