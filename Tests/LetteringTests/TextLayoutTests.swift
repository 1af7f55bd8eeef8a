import Foundation
import Raster
import Reactions
import TestSupport
import Testing

@testable import Lettering

/// Texts as pictures. Versions of fonts differ, so the tests are about properties, not bytes.
@Suite("Texts as pictures")
struct TextLayoutTests {
    /// The font that is installed with Flourish.
    private static let own = FontCollection(
        assets: Repository.root.appending(path: "Assets").path, folders: [])
    private static let system = FontCollection(
        assets: Repository.root.appending(path: "Assets").path,
        folders: FontCollection.systemFolders(environment: ProcessInfo.processInfo.environment))

    private static let hasHarfBuzz = (try? TextLayout(StyledText("a"), fonts: own)) != nil
    private static let hasRightToLeft = (try? TextLayout(StyledText("\u{5D0}\u{633}"), fonts: system)) != nil
    private static let hasEmoji =
        (try? TextLayout(StyledText("\u{1F389}"), fonts: system))?.fonts.first?.path.contains("Emoji") == true

    private func layout(_ text: String, _ fonts: FontCollection = own) throws -> TextLayout {
        try TextLayout(StyledText(text), fonts: fonts)
    }

    private func numbers(_ text: String) throws -> [UInt32] { try layout(text, Self.system).glyphs.map(\.number) }

    /// The columns and rows that are not transparent.
    private func ink(_ image: RGBAImage) -> (x: ClosedRange<Int>, y: ClosedRange<Int>)? {
        var columns: [Int] = [], rows: [Int] = []
        for y in 0..<image.height {
            for x in 0..<image.width where image.pixels[(y * image.width + x) * 4 + 3] > 0 {
                columns.append(x)
                rows.append(y)
            }
        }
        guard let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max() else {
            return nil
        }
        return (left...right, top...bottom)
    }

    private func has(_ colour: EffectColour, in image: RGBAImage) -> Bool {
        stride(from: 0, to: image.pixels.count, by: 4).contains { at in
            image.pixels[at + 3] == 255
                && zip([colour.red, colour.green, colour.blue], 0..<3).allSatisfy {
                    abs(Int(($0 * 255).rounded()) - Int(image.pixels[at + $1])) < 2
                }
        }
    }

    // MARK: Letters

    @Test(.enabled(if: hasHarfBuzz, "HarfBuzz is not installed"))
    func lettersAreDrawnInTheirColourWithAnOutline() throws {
        let red = EffectColour(red: 1, green: 0, blue: 0), blue = EffectColour(red: 0, green: 0, blue: 1)
        let text = StyledText("Well", colour: red, outlineWidth: 0.1, outlineColour: blue)
        let layout = try TextLayout(text, fonts: Self.own)
        let image = layout.picture(height: 120)
        #expect(image.height == 120 && image.width == Int((120 * layout.aspectRatio).rounded()))
        #expect(has(red, in: image) && has(blue, in: image))
        let bounds = try #require(ink(image))
        // The outline is inside of the picture, and the letters fill its width.
        #expect(bounds.x.lowerBound >= 0 && bounds.x.lowerBound < 10 && bounds.x.upperBound > image.width - 10)
        let plain = try TextLayout(StyledText("Well", colour: red, outlineWidth: 0), fonts: Self.own).picture(
            height: 120)
        #expect(has(red, in: plain) && !has(blue, in: plain))
        #expect(image == layout.picture(height: 120))
    }

    /// Letters keep their size: a line without ascenders is not enlarged.
    @Test(.enabled(if: hasHarfBuzz, "HarfBuzz is not installed"))
    func linesHaveTheHeightOfTheFont() throws {
        let (low, high) = (try layout("ace"), try layout("Alg"))
        #expect(abs(low.height - high.height) < 0.02)
        #expect(try layout("one\ntwo").height > 1.7 * low.height - 0.2)
        #expect(try layout("WWW").width > 2.5 * layout("W").width - 0.5)
        // Lines are centred.
        let lines = try layout("W\nWWW").glyphs
        #expect(lines.count == 4 && lines[0].y < lines[1].y)
        #expect(lines[0].x > lines[1].x && lines[0].x < lines[3].x)
    }

    @Test(.enabled(if: hasHarfBuzz, "HarfBuzz is not installed"))
    func fontsAreFoundByNameAndFile() throws {
        try withTemporaryFolder { folder in
            let font = folder.appending(path: "Own.ttf")
            try FileManager.default.copyItem(
                at: Repository.root.appending(path: "Assets/Fonts/DejaVuSansCondensed-Bold.ttf"), to: font)
            let beside = try TextLayout(StyledText("a", font: "Own.ttf"), fonts: Self.own, beside: folder.path)
            #expect(beside.fonts == [FontReference(path: font.path)])
            let installed = FontCollection(assets: nil, folders: [folder.path])
            #expect(try TextLayout(StyledText("a", font: "own"), fonts: installed).fonts.first?.path == font.path)
            // By the name of the family, which is not that of the file.
            let family = try TextLayout(StyledText("a", font: "DejaVu Sans Condensed"), fonts: installed)
            #expect(family.fonts.first?.path == font.path)
            try Data("no font".utf8).write(to: folder.appending(path: "Bad.ttf"))
            let bad = fault { try TextLayout(StyledText("a", font: "Bad.ttf"), fonts: Self.own, beside: folder.path) }
            #expect(bad.contains("Bad.ttf: not a font"))
            #expect(
                fault { try TextLayout(StyledText("a", font: "Nowhere"), fonts: installed) }.contains("not installed"))
        }
    }

    private func fault(_ body: () throws -> TextLayout) -> String {
        do {
            _ = try body()
            return ""
        } catch { return "\(error)" }
    }

    @Test func unusableTextsAreRefused() {
        for (text, words) in [
            ("", "empty"), ("  \n ", "empty"), ("a\u{7}b", "control character U+0007"), ("a\tb", "U+0009"),
            ("a\u{202E}b", "U+202E"), ("a\u{E000}", "U+E000"), (String(repeating: "a", count: 121), "the limit is 120"),
            ("a" + String(repeating: "\u{301}", count: 500), "limit"), ("a\nb\nc\nd\ne\nf\ng", "more than 6 lines"),
        ] {
            let fault = StyledText.fault(in: text) ?? ""
            #expect(fault.contains(words) && !fault.contains("\n"), "\(fault)")
        }
        #expect(StyledText.fault(in: "שלום 👩‍🚀 é") == nil)
    }

    @Test(.enabled(if: hasHarfBuzz, "HarfBuzz is not installed"))
    func missingCharactersAreNamedWithAPackage() {
        let fault = fault { try layout("a\u{13000}") }
        #expect(fault.contains("U+13000") && fault.contains("fonts-noto") && !fault.contains("\n"))
        #expect(self.fault { try layout("\u{1F389}") }.contains("fonts-noto-color-emoji"))
    }

    // MARK: Directions

    @Test(arguments: [
        ("abc", [0, 0, 0]), ("\u{5D0}\u{5D1}", [1, 1]), ("\u{5D0} 12", [1, 1, 2, 2]), ("a \u{5D0}", [0, 0, 1]),
        ("\u{5D0} a", [1, 1, 2]), ("\u{633} 1,2", [1, 1, 2, 2, 2]), ("a \u{5D0} \u{5D1} b", [0, 0, 1, 1, 1, 0, 0]),
        ("\u{5D0}!", [1, 1]), ("1 \u{5D0}", [2, 1, 1]), ("a\u{5B0}", [0, 0]), ("\u{1F389} \u{5D0}", [1, 1, 1]),
    ])
    func levelsFollowTheBidirectionalAlgorithm(_ text: String, _ levels: [Int]) {
        #expect(TextDirection.levels(of: Array(text.unicodeScalars)).levels == levels)
    }

    @Test func runsAreReorderedByTheirLevels() {
        #expect(TextDirection.visualOrder([0, 1, 0]) == [0, 1, 2])
        #expect(TextDirection.visualOrder([1, 2, 1]) == [2, 1, 0])
        #expect(TextDirection.visualOrder([1, 2, 2]) == [1, 2, 0])
        #expect(TextDirection.visualOrder([]) == [])
    }

    @Test(.enabled(if: hasRightToLeft, "no font for Hebrew and Arabic is installed (package fonts-dejavu-core)"))
    func rightToLeftTextsAreShaped() throws {
        let (alef, bet) = (try numbers("\u{5D0}"), try numbers("\u{5D1}"))
        #expect(try numbers("\u{5D0}\u{5D1}") == bet + alef)
        // Numbers run from left to right in a Hebrew line, and the line begins at the right.
        let mixed = try layout("\u{5D0} 12", Self.system).glyphs
        #expect(mixed.last?.number == alef.first)
        #expect(try numbers("12") == mixed.prefix(2).map(\.number))
        // Arabic letters are joined: their forms are not those of the single letters, in the opposite sequence.
        let single = try numbers("\u{633}") + numbers("\u{644}") + numbers("\u{645}")
        let joined = try numbers("\u{633}\u{644}\u{645}")
        #expect(joined.count == 3 && joined != single.reversed() && joined != single)
        // A combining vowel takes no room.
        let plain = try layout("\u{628}", Self.system), marked = try layout("\u{628}\u{64E}", Self.system)
        #expect(marked.glyphs.count == 2 && abs(marked.width - plain.width) < 0.1)
    }

    // MARK: Emoji

    @Test(.enabled(if: hasEmoji, "no font of emoji is installed (package fonts-noto-color-emoji)"))
    func emojiAreColourfulPictures() throws {
        let party = try layout("\u{1F389}", Self.system)
        let image = party.picture(height: 96)
        #expect(abs(image.height - 96) < 3 && (0.7...1.4).contains(party.aspectRatio))
        var colours: Set<Int> = []
        for at in stride(from: 0, to: image.pixels.count, by: 4) where image.pixels[at + 3] == 255 {
            let shares = (0..<3).map { Int(image.pixels[at + $0]) / 64 }
            colours.insert(shares[0] * 16 + shares[1] * 4 + shares[2])
        }
        #expect(colours.count > 8)
        let bounds = try #require(ink(image))
        #expect(bounds.y.count > image.height * 7 / 10)
        // Sequences of several characters are one picture.
        #expect(try layout("\u{1F469}\u{200D}\u{1F680}", Self.system).glyphs.count == 1)
        #expect(try layout("\u{1F44D}\u{1F3FD}", Self.system).glyphs.count == 1)
        // Beside letters they have the size of the line.
        let line = try layout("Yes \u{1F389}", Self.system)
        #expect(line.fonts.count == 2 && line.height < 1.7)
        // They are not enlarged beyond the font's pictures, unless that is demanded.
        #expect(party.picture(height: 1024).height < 1024 && party.picture(height: 300, enlarges: true).height == 300)
    }
}
