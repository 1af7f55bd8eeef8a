import Reactions

/// A short sound that Flourish computes.
package enum SynthesisedSound: String, Sendable, CaseIterable {
    case pop, ding, thud, chime, crackle, rain, whoosh, sweep
}

/// The sound of an effect.
package enum EffectSound: Sendable, Hashable {
    case synthesised(SynthesisedSound)
    /// The path of a WAV or Ogg file.
    case file(String)

    /// The maximum size of a file in bytes.
    package static let greatestFile = 2 << 20
    /// The extensions of files.
    static let formats = ["wav", "ogg"]

    /// Returns the sound with a name: a file in a folder, or in its folder `Sounds`, or otherwise a computed one.
    ///
    /// - Parameter folder: The folder of the description; nil for built-in effects, which have no files.
    /// - Throws: ``EffectError`` if there is no such sound, or the file is no sound.
    static func named(
        _ name: String, of type: String, in folder: String?
    ) throws(EffectError) -> (sound: EffectSound, file: [UInt8]) {
        let stems = folder.map { [$0 + "/" + name, $0 + "/Sounds/" + name] } ?? []
        for path in stems.flatMap({ stem in formats.map { stem + "." + $0 } }) where EffectFile.exists(path) {
            let bytes = try EffectFile.read(path, limit: greatestFile)
            if let fault = fault(in: bytes, path.hasSuffix(".ogg") ? "ogg" : "wav") {
                throw EffectError(file: path, message: fault)
            }
            return (.file(path), bytes)
        }
        if let sound = SynthesisedSound(rawValue: name) { return (.synthesised(sound), []) }
        let names = SynthesisedSound.allCases.map(\.rawValue).joined(separator: ", ")
        throw EffectError(
            file: (folder ?? "Reactions") + "/" + type + ".json", key: "sound",
            message: "there is no sound \(name): use \(names), or put \(name).wav or \(name).ogg into Sounds")
    }

    /// Returns the reason for rejecting a file, in words for the user; nil for a usable one.
    static func fault(in bytes: [UInt8], _ format: String) -> String? {
        if format == "ogg" { return bytes.starts(with: Array("OggS".utf8)) ? nil : "not an Ogg file" }
        let isWave = bytes.starts(with: Array("RIFF".utf8)) && bytes.dropFirst(8).starts(with: Array("WAVE".utf8))
        return isWave ? nil : "not a WAV file"
    }
}
