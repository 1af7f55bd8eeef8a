import Foundation
import Lettering
import MediaIO
import Raster
import Reactions
import TestSupport
import Testing

@testable import Effects

/// Texts in descriptions, and reactions that show words.
@Suite("Texts as sprites")
struct TextSpriteTests {
    private static let rasterizer: SpriteRasterizer = { try RGBAImage.sprite($0, width: $1, height: $2) }

    private static let hasHarfBuzz: Bool = {
        var library = try? EffectTestAssets.library()
        return (try? library?.add(wordsOf: .text("a"))) != nil
    }()

    private func load(_ emitter: String, more: String = "") throws -> (EffectLibrary, EffectDescription) {
        try withTemporaryFolder { folder in
            let json = #"{"type": "own", \#(more) "emitters": [{"count": 1, \#(emitter)}]}"#
            try Data(json.utf8).write(to: folder.appending(path: "own.json"))
            var library = try EffectTestAssets.library()
            try library.add(folder: folder.path)
            return (library, try #require(library.descriptions["own"]))
        }
    }

    private func fault(_ emitter: String, more: String = "") -> String {
        do {
            _ = try load(emitter, more: more)
            return ""
        } catch { return "\(error)" }
    }

    private func draw(
        _ description: EffectDescription, _ library: EffectLibrary, at time: Double = 1.2,
        on format: PictureFormat = PictureFormat(width: 320, height: 180), x: Double = 0.5, y: Double = 0.5
    ) throws -> EffectTestFrame {
        let renderer = ParticleRenderer(library: library, rasterizer: Self.rasterizer)
        let instance = EffectInstance(description: description, seed: 1, startTime: 0, originX: x, originY: y)
        return try EffectTestAssets.draw([instance], at: time, on: format, flat: true, with: renderer)
    }

    /// The columns of a frame that differ from the plain picture.
    private func changed(_ frame: EffectTestFrame) -> [Int] {
        let plain = EffectTestFrame(frame.format, flat: true)
        return (0..<frame.format.width).filter { x in
            (0..<frame.format.height).contains { abs(frame[.luma, x, $0] - plain[.luma, x, $0]) > 20 }
        }
    }

    @Test(.enabled(if: hasHarfBuzz, "HarfBuzz is not installed"))
    func aTextIsDrawnAsASprite() throws {
        let (library, description) = try load(#""shape": "sprite", "text": "Well done", "size": 0.3"#)
        let frame = try draw(description, library)
        let columns = changed(frame)
        // It is wider than high, in the middle, and white with a dark outline.
        #expect(columns.count > 100 && abs((columns.first ?? 0) + (columns.last ?? 0) - 320) < 12)
        let samples = (0..<320).flatMap { x in (0..<180).map { frame[.luma, x, $0] } }
        #expect(samples.contains { $0 > 220 } && samples.contains { $0 < 60 })
    }

    /// Particles' colours tint letters whose colour the text does not state.
    @Test(.enabled(if: hasHarfBuzz, "HarfBuzz is not installed"))
    func coloursTintTheLetters() throws {
        func reddest(_ emitter: String) throws -> Int {
            let (library, description) = try load(#""shape": "sprite", "size": 0.5, \#(emitter)"#)
            let frame = try draw(description, library)
            return (0..<160).flatMap { x in (0..<90).map { frame[.cr, x, $0] } }.max() ?? 0
        }
        #expect(try reddest(##""text": "Red", "colours": ["#ff0000"]"##) > 200)
        #expect(try reddest(##""text": {"string": "Red", "colour": "#ff0000"}"##) > 200)
        #expect(try reddest(#""text": "Red""#) < 140)
    }

    @Test func faultsNameTheKey() {
        for (emitter, words) in [
            (#""shape": "sprite", "text": """#, "empty"), (#""shape": "disc", "text": "a""#, "if and only if"),
            (#""shape": "sprite", "text": "a", "sprite": "heart""#, "cannot be combined"),
            (#""shape": "sprite", "text": {"string": "a", "font": "../secret.ttf"}"#, "font"),
            (#""shape": "sprite", "text": {"string": "a", "size": 3}"#, "unknown key"),
            (#""shape": "sprite", "text": {"string": "a", "outline": {"width": 2}}"#, "outline"),
            (#""shape": "sprite", "text": {"string": "a", "bubble": false}"#, "bubble"),
            (#""shape": "sprite", "text": {"string": "a\u0007"}"#, "control character"),
        ] {
            let fault = fault(emitter)
            #expect(fault.contains(words) && fault.contains("own.json") && !fault.contains("\n"), "\(fault)")
        }
    }

    @Test(.enabled(if: hasHarfBuzz, "HarfBuzz is not installed"))
    func wideTextsCountWithTheirArea() {
        let long = #""shape": "sprite", "text": "\#(String(repeating: "m", count: 30))", "size": 0.3"#
        #expect(fault(long).isEmpty)
        #expect(fault(long + #", "children": [{"count": 200, \#(long)}]"#).contains("cover the picture"))
        let tooLong = String(repeating: "m", count: 90)
        #expect(fault(#""shape": "sprite", "text": "\#(tooLong)", "size": 0.3"#).contains("too long for one line"))
    }

    // MARK: Words

    @Test(
        .enabled(if: hasHarfBuzz, "HarfBuzz is not installed"),
        arguments: ["Yes", "Well done", "Thank you all very much for coming to this meeting today"])
    func wordsAreInsideOfThePicture(_ words: String) throws {
        var library = try EffectTestAssets.library()
        try library.add(wordsOf: .text(words))
        let description = try #require(library.descriptions["text:" + words])
        #expect(description.type == "text:" + words)
        let footprint = try #require(description.footprint)
        for frame in [16.0 / 9, 1, 9.0 / 16] {
            let half = footprint.halves(aspectRatio: frame)
            #expect(2 * half.width < frame)
            for x in [0, 0.5, 1] {
                let centre = footprint.centre(originX: x, originY: 0.9, aspectRatio: frame)
                #expect(centre.x >= half.width && centre.x + half.width <= frame && centre.y + half.height <= 1)
            }
        }
        let columns = changed(try draw(description, library, at: 2, x: 0.95, y: 0.4))
        #expect((columns.last ?? 0) < 318 && (columns.first ?? 0) > 2 && columns.count > 40)
        // The icon of calm styles is inside, too.
        let calm = changed(try draw(description.calmed(), library, x: 0.98, y: 0.4))
        #expect((calm.last ?? 0) < 319 && calm.count > 10)
    }

    @Test func otherWordsAreRefused() throws {
        var library = try EffectTestAssets.library()
        for (words, part) in [
            ("", "empty"), ("a\nb", "line feed"), ("a\u{1B}[2J", "U+001B"),
            (String(repeating: "a", count: 61), "the limit is 60"),
        ] {
            do {
                try library.add(wordsOf: .text(words))
                Issue.record("\(words) is accepted")
            } catch { #expect(error.description.contains(part)) }
        }
        try library.add(wordsOf: .heart)
        #expect(ReactionType.heart.text == nil && ReactionType.text("Hi").text == "Hi")
    }
}
