import Flourish
import Foundation
import MediaIO
import Platform

/// A zip archive with a pack of effects: it is read, checked, installed and removed.
///
/// An input is an archive, or one of its files, which is then embedded in an archive with a correct checksum.
package struct PackTarget: FuzzTarget {
    package let name = "pack"
    private let folder: FuzzFolder
    private let resources: Resources
    private let files: [String: [UInt8]]

    package init(folder: FuzzFolder, assets: String) throws {
        self.folder = folder
        resources = Resources(assets: assets)
        let pack = assets + "/Packs/plain/"
        let names = ["flourish-pack.json"] + Self.effects.map { $0 + ".json" } + ["Sprites/flatHeart.svg"]
        var files = try names.reduce(into: [:]) { $0[$1] = try FuzzFiles.one(pack + $1).bytes }
        files["flourish-pack.json"] = Array(
            #"{"name": "fuzzed", "version": "1.0", "effects": ["plainHeart", "plainRain"]}"#.utf8)
        files["Sounds/tick.wav"] = SoundTarget.wave
        self.files = files
    }

    private static let effects = ["plainHeart", "plainRain"]

    package func seeds() throws -> [FuzzInput] {
        [FuzzInput(kind: "zip", bytes: Self.archive(files))]
            + files.keys.sorted().filter { !$0.hasPrefix("Sounds") }.map { FuzzInput(kind: $0, bytes: files[$0] ?? []) }
    }

    package func mutate(_ input: inout FuzzInput, _ random: inout FuzzRandom) {
        if input.kind != "zip" { return TextMutator.mutate(&input.bytes, &random) }
        ByteMutator.mutate(&input.bytes, within: input.bytes.indices, &random)
    }

    package func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        _ = folder.empty()
        let isArchive = input.kind == "zip"
        let bytes = isArchive ? input.bytes : Self.archive(files.merging([input.kind: input.bytes]) { $1 })
        let place = folder.path + "/effects"
        let archive = try folder.write(bytes, as: "pack.zip")
        do {
            let pack = try EffectPack.install(archive, in: place, resources: resources)
            try EffectPack.remove(pack.name, from: place)
            try checkNames("removed")
            return "installed"
        } catch let fault as FuzzFault { throw fault } catch {
            try checkNames("refused")
            return try Refusal.word(for: error)
        }
    }

    /// Detects files that a refused or a removed pack left behind.
    private func checkNames(_ state: String) throws(FuzzFault) {
        let rest = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        let unexpected = rest.filter { !["pack.zip", "effects"].contains($0) }
        if !unexpected.isEmpty { throw FuzzFault("the pack is \(state), and left \(unexpected.sorted())") }
    }

    /// Returns a zip archive of uncompressed files.
    private static func archive(_ files: [String: [UInt8]]) -> [UInt8] {
        var archive: [UInt8] = [], directory: [UInt8] = []
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
            let header =
                number(20, 2) + number(0, 8) + number(Int(Zlib.checksum(of: bytes)), 4) + number(bytes.count, 4)
                + number(bytes.count, 4) + number(name.utf8.count, 2) + number(0, 2)
            directory += [0x50, 0x4B, 1, 2, 20, 0] + header + number(0, 10) + number(archive.count, 4)
            directory += Array(name.utf8)
            archive += [0x50, 0x4B, 3, 4] + header + Array(name.utf8) + bytes
        }
        let end = [0x50, 0x4B, 5, 6, 0, 0, 0, 0] + number(files.count, 2) + number(files.count, 2)
        return archive + directory + end + number(directory.count, 4) + number(archive.count, 4) + [0, 0]
    }

    /// Returns a number in a count of bytes, the least significant first.
    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
    }
}

/// The sound of a custom effect: a WAV or Ogg file.
package struct SoundTarget: FuzzTarget {
    package let name = "sound"
    private let folder: FuzzFolder
    private let seedFolder: String

    package init(folder: FuzzFolder, seedFolder: String) {
        self.folder = folder
        self.seedFolder = seedFolder
    }

    /// A WAV file with 120 samples of 16 bits.
    static let wave: [UInt8] = {
        let samples = (0..<240).map { UInt8($0 * 37 % 251) }
        return Array("RIFF".utf8) + [20, 1, 0, 0] + Array("WAVEfmt ".utf8)
            + [16, 0, 0, 0, 1, 0, 1, 0, 0x80, 0xBB, 0, 0, 0, 0x77, 1, 0, 2, 0, 16, 0]
            + Array("data".utf8) + [240, 0, 0, 0] + samples
    }()

    package func seeds() throws -> [FuzzInput] {
        [FuzzInput(kind: "wav", bytes: Self.wave)] + (try FuzzFiles.all(in: seedFolder, kind: "ogg"))
    }

    package func mutate(_ input: inout FuzzInput, _ random: inout FuzzRandom) {
        ByteMutator.mutate(&input.bytes, within: input.bytes.indices, &random)
    }

    package func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        _ = folder.empty()
        let file = try folder.write(input.bytes, as: "own." + input.kind)
        do {
            let samples = try SoundFile.samples(of: file, rate: seed % 2 == 0 ? 48_000 : 44_100)
            guard samples.allSatisfy(\.isFinite) else { throw FuzzFault("a sample is not finite") }
            return "read"
        } catch let fault as FuzzFault { throw fault } catch { return try Refusal.word(for: error) }
    }
}
