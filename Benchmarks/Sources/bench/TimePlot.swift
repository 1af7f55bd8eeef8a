import Foundation

/// Bars of three parts each, one below the other, as SVG; legible on light and on dark backgrounds.
struct TimePlot {
    struct Bar {
        var name: String
        /// The times of analysis, rendering and checking.
        var parts: [Double]
    }

    var title: String
    var bars: [Bar] = []

    init(title: String) { self.title = title }

    private static let parts = [
        (name: "detecting hands", color: "#4c8bd6"), (name: "decoding spans, drawing, encoding", color: "#e08a3c"),
        (name: "checking", color: "#58a55c"),
    ]
    private static let left = 170.0, width = 480.0, top = 58.0, step = 26.0

    var svg: String {
        let longest = bars.map { $0.parts.reduce(0, +) }.max() ?? 1
        let height = Int(Self.top + Self.step * Double(bars.count) + 4)
        var lines = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 \#(height)" width="720" height="\#(height)" role="img">"#,
            "<title>\(title)</title>",
            "<style>text { font: 13px sans-serif; fill: #333 } @media (prefers-color-scheme: dark) { text { fill: #ddd } }</style>",
            #"<text x="8" y="18" style="font-weight: bold">\#(title)</text>"#,
        ]
        var x = 8
        for part in Self.parts {
            lines.append(#"<rect x="\#(x)" y="31" width="12" height="12" fill="\#(part.color)"/>"#)
            lines.append(#"<text x="\#(x + 18)" y="42">\#(part.name)</text>"#)
            x += 44 + 7 * part.name.count
        }
        for (index, bar) in bars.enumerated() {
            lines += self.lines(bar, y: Self.top + Self.step * Double(index), scale: Self.width / longest)
        }
        return (lines + ["</svg>", ""]).joined(separator: "\n")
    }

    private func lines(_ bar: Bar, y: Double, scale: Double) -> [String] {
        func text(_ value: Double, _ places: Int = 1) -> String { String(format: "%.\(places)f", value) }
        var lines = [#"<text x="8" y="\#(text(y + 14))">\#(bar.name)</text>"#]
        var x = Self.left
        for (part, value) in zip(Self.parts, bar.parts) where value > 0 {
            lines.append(
                #"<rect x="\#(text(x))" y="\#(text(y))" width="\#(text(value * scale))" height="18" fill="\#(part.color)"/>"#
            )
            x += value * scale
        }
        lines.append(#"<text x="\#(text(x + 6))" y="\#(text(y + 14))">\#(text(bar.parts.reduce(0, +), 2))</text>"#)
        return lines
    }
}
