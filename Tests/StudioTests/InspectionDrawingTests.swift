import Foundation
import Raster
import Reactions
import Testing
import TestSupport

@testable import Lettering
@testable import Pipeline
@testable import Studio

@Suite struct InspectionDrawingTests {
    private let resources = Resources(assets: Repository.root.appending(path: "Assets").path)

    @Test func theFontHasEveryPrintableCharacter() throws {
        let font = try #require(FontFace(.installed(in: resources.assets ?? "")))
        let more: [Unicode.Scalar] = ["°", "·", "→", "…", "–", "×", "é", "ß", "Ω", "Ж"]
        for scalar in (33...126).map({ Unicode.Scalar(UInt8($0)) }) + more {
            #expect(font.contains(scalar), "\(scalar)")
        }
        #expect(!font.contains("字"))
    }

    @Test(arguments: [7, 10, 16, 44])
    func lineWidthsMatchTheDrawing(_ cap: Int) throws {
        let font = try #require(FontFace(.installed(in: resources.assets ?? "")))
        let size = Double(cap) / (try #require(font.capitalHeight))
        #expect("held 0.6 of 1.0 s".unicodeScalars.allSatisfy { font.label($0, size: size).advance > 0 })
        // Digits have one width, so that a running clock does not move.
        #expect(Set("0123456789".unicodeScalars.map { font.label($0, size: size).advance }).count == 1)
        #expect(font.label(" ", size: size).picture == nil)
        // A capital's height equals the size, except for a pixel of hinting.
        #expect((cap...cap + 1).contains(font.label("H", size: size).picture?.top ?? 0))
        // An empty box replaces a character that the font lacks.
        #expect(font.label("字", size: size).picture != nil)
    }

    @Test func aMissingFontIsNamed() throws {
        #expect(throws: FlourishError.self) { _ = try InspectionPen(resources: Resources()) }
        let error = #expect(throws: FlourishError.self) {
            _ = try InspectionPen(resources: Resources(assets: "/nowhere"))
        }
        #expect(error?.code == .unavailable && error?.message.hasPrefix("/nowhere/Fonts/") == true)
    }

    @Test(arguments: [(320.0, 180.0), (1080, 1920), (3840, 2160)])
    func labelsStayInsideAndApart(_ width: Double, _ height: Double) {
        var layout = InspectionLayout(width: width, height: height)
        var boxes = [layout.corner(width: layout.unit * 18, height: layout.unit * 6)]
        for place in [(0.02, 0.02), (0.5, 0.5), (0.98, 0.98)] {
            let hand = [(0.0, 0.0), (0.1, 0.2)].map {
                PixelPoint(x: (place.0 + $0.0) * width, y: (place.1 + $0.1) * height)
            }
            layout.avoid(hand: hand)
            boxes.append(layout.place(width: layout.unit * 16, height: layout.unit * 5, beside: hand))
        }
        for (index, box) in boxes.enumerated() {
            #expect(box.left >= 0 && box.top >= 0 && box.right <= width && box.bottom <= height)
            for other in boxes.dropFirst(index + 1) { #expect(box.overlap(other) == 0) }
        }
    }

    @Test func longLinesAreWrapped() throws {
        var pen = try InspectionPen(resources: resources)
        let style = TextStyle(size: TextSize(cap: 8), colour: .white)
        let text = "already triggered; lower the hand to repeat it"
        let limit = pen.width(of: "already triggered; lower", style)
        let lines = pen.wrapped(text, style, within: limit)
        #expect(lines.joined(separator: " ") == text && lines.count > 1)
        for line in lines { #expect(pen.width(of: line, style) <= limit) }
        #expect(pen.wrapped("a", style, within: 500) == ["a"])
        let cut = pen.wrapped("Donaudampfschiff", style, within: limit / 3)
        #expect(cut.count == 1 && cut[0].hasSuffix("…") && pen.width(of: cut[0], style) <= limit / 3)
    }

    @Test(arguments: [
        (0.0, "0:00.000"), (2.48, "0:02.480"), (75.2504, "1:15.250"), (3671.5, "1:01:11.500"), (-0.02, "–0:00.020"),
        (.nan, "?"),
    ])
    func timesAreFormattedAsClocks(_ seconds: Double, _ text: String) {
        #expect(InspectionText.clock(seconds) == text)
    }
}
