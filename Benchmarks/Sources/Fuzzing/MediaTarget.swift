import Flourish
import Foundation
import Studio

/// An untrusted recording: it is demuxed, decoded, drawn on, encoded or copied, and muxed.
package struct MediaTarget: FuzzTarget {
    package let name = "media"
    private let folder: FuzzFolder
    private let seedFolder: String

    /// - Parameters:
    ///   - folder: the folder for inputs and outputs.
    ///   - seedFolder: small valid files, one of each kind; `Scripts/fuzz` makes them.
    package init(folder: FuzzFolder, seedFolder: String) {
        self.folder = folder
        self.seedFolder = seedFolder
    }

    package func seeds() throws -> [FuzzInput] {
        try FileManager.default.contentsOfDirectory(atPath: seedFolder).sorted().map { name in
            FuzzInput(
                kind: String(name.split(separator: ".").last ?? ""),
                bytes: [UInt8](try Data(contentsOf: URL(filePath: seedFolder + "/" + name))))
        }
    }

    package func mutate(_ input: inout FuzzInput, _ random: inout FuzzRandom) {
        if random.once(in: 20) { return ByteMutator.truncate(&input.bytes, &random) }
        if random.once(in: 6) {
            // Headers are at the beginning.
            let end = random.once(in: 2) ? min(input.bytes.count, 512) : input.bytes.count
            return ByteMutator.mutate(&input.bytes, within: 0..<end, &random)
        }
        switch input.kind {
        case "mp4", "mov", "m4v": BoxMutator.mutate(&input.bytes, &random)
        case "mkv", "webm": EBMLMutator.mutate(&input.bytes, &random)
        case "h264", "hevc": UnitMutator.mutate(&input.bytes, &random)
        default: ByteMutator.mutate(&input.bytes, within: input.bytes.indices, &random)
        }
    }

    package func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        _ = folder.empty()
        let file = try folder.write(input.bytes, as: "in." + input.kind)
        var random = FuzzRandom(seed: seed ^ 0x0123_4567)
        if random.once(in: 16) { return try watch(file) }
        var configuration = Configuration()
        configuration.gesturesEnabled = false
        configuration.input.maxPixels = 1 << 20
        configuration.encoding.preset = "ultrafast"
        configuration.keepsPartialOutput = true
        configuration.scheduledReactions = [ScheduledReaction(.heart, at: 0.1)]
        configuration.encoding.smartRender = random.pick([.auto, .auto, .never])
        configuration.isLive = random.once(in: 6)
        if random.once(in: 8) { (configuration.input.start, configuration.input.end) = (0.1, 0.3) }
        let output = folder.path + "/out." + random.pick(["mp4", "mkv", "mkv", "mov", "ts", "nut"])
        let session = ReactionSession(configuration: configuration)
        let isDetecting = random.once(in: 12)
        let word: String
        do {
            if isDetecting {
                _ = try await session.detect(file)
            } else {
                _ = try await session.filter(file, to: output)
            }
            word = isDetecting ? "looked through" : "filtered"
        } catch { word = try Refusal.word(for: error) }
        let left = folder.empty().filter { !$0.hasPrefix("in.") }
        let expected = word == "filtered" ? 1 : 0
        guard left.count == expected else { throw FuzzFault("\(word), and there are \(left)") }
        return word
    }

    /// Reads the metadata embedded in the video.
    private func watch(_ file: String) throws(FuzzFault) -> String {
        do {
            let reader = try EmbeddedEventReader(file)
            while try reader.nextLine() != nil {}
            return "read"
        } catch { return try Refusal.word(for: error) }
    }
}
