import Foundation
import Testing

@testable import Effects
@testable import Raster

/// Compares checksums of frames with the text files in `Goldens/`, so that every change in rendering shows up.
///
/// After an intended change regenerate them and review the diff:
/// `FLOURISH_UPDATE_GOLDENS=1 swift test --filter EffectGoldenTests`
@Suite("Golden frames of effects")
struct EffectGoldenTests {
    private var folder: URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens")
    }

    @Test("Frames match the golden checksums", arguments: EffectTestAssets.types + EffectTestAssets.packTypes)
    func frames(type: String) throws {
        let library = try EffectTestAssets.packs()
        let description = try #require(library.descriptions[type])
        let renderer = try EffectTestAssets.renderer(library)
        let instance = EffectInstance(
            description: description, seed: 42, startTime: 0, originX: 0.4, originY: 0.55)
        var text = ""
        for depth in [8, 10] {
            for time in [0.2, 0.9, 1.8, 2.9] {
                let format = PictureFormat(width: 160, height: 90, bitDepth: depth)
                let frame = try EffectTestAssets.draw([instance], at: time, on: format, with: renderer)
                text += "\(depth) bit  \(time) s  \(frame.checksum)\n"
            }
        }
        let file = folder.appending(path: type + ".txt")
        if ProcessInfo.processInfo.environment["FLOURISH_UPDATE_GOLDENS"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }
}
