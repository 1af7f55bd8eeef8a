/// Checks whether a custom SVG can be drawn in bounded time and memory, without other files. ``EffectLibrary`` calls it
/// for each custom sprite.
///
/// Sprites consist of shapes, gradients, simple filters and a few reused parts. The check rejects references to other
/// files (images, style sheets), and text, whose appearance depends on the machine. The check also rejects elements
/// whose drawing time is unbounded: fractal noise, dashes of zero length, and parts that are reused many times.
enum SpriteCheck {
    /// The element names that sprites may use.
    private static let elements: Set<Substring> = [
        "svg", "g", "defs", "title", "desc", "metadata", "symbol", "use", "path", "rect", "circle", "ellipse",
        "line", "polyline", "polygon", "linearGradient", "radialGradient", "stop", "clipPath", "mask", "filter",
        "feGaussianBlur", "feOffset", "feBlend", "feFlood", "feComposite", "feColorMatrix", "feMerge",
        "feMergeNode", "feDropShadow",
    ]
    /// The namespaces of editors' own elements, which are not drawn.
    private static let editors: Set<Substring> = ["sodipodi", "inkscape", "rdf", "cc", "dc"]
    /// The references that cause a part to be drawn once more.
    private static let multipliers = ["<use", "mask=", "mask:", "clip-path=", "clip-path:", "filter=", "filter:"]
    private static let greatestMultipliers = 16
    /// The maximum ratio of the longer side to the shorter side.
    private static let greatestAspect = 10.0

    /// Returns the aspect ratio of an SVG's `viewBox`; 1 without one.
    static func aspectRatio(ofSVG source: [UInt8]) -> Double {
        let text = String(decoding: source.prefix(2000), as: UTF8.self)
        let parts = text.split(separator: "viewBox=\"", maxSplits: 1)
        guard parts.count == 2 else { return 1 }
        let numbers = parts[1].prefix { $0 != "\"" }.split(separator: " ").compactMap { Double($0) }
        return numbers.count == 4 && numbers[3] > 0 && numbers[2] > 0 ? numbers[2] / numbers[3] : 1
    }

    /// Returns the reason for rejecting a sprite, in words for the user; nil for a usable sprite.
    static func fault(in svg: [UInt8]) -> String? {
        let text = String(decoding: svg, as: UTF8.self)
        if text.contains("<!ENTITY") || text.contains("<!DOCTYPE") {
            return "the sprite declares a document type; save it as plain SVG"
        }
        let names = elementNames(in: text)
        guard names.contains("svg") else { return "not an SVG" }
        if editors.contains(where: { text.contains("xmlns:\($0)=\"http://www.w3.org/2000/svg") }) {
            return "the sprite binds an editor's namespace prefix to SVG's namespace"
        }
        if let fault = names.lazy.compactMap(fault(ofElement:)).first { return fault }
        if text.occurrences(of: "href=") != text.occurrences(of: "href=\"#")
            || text.occurrences(of: "url(") != text.occurrences(of: "url(#")
        {
            return "a sprite may refer only to its own elements, as in href=\"#part\" and url(#part)"
        }
        if !hasOnlySolidLines(text) { return "a sprite may not use stroke-dasharray; draw the dashes as paths" }
        let multiplied = multipliers.reduce(0) { $0 + text.occurrences(of: $1) }
        if multiplied > greatestMultipliers {
            return
                "the sprite reuses elements, masks and filters \(multiplied) times; the limit is \(greatestMultipliers)"
        }
        let aspect = aspectRatio(ofSVG: svg)
        if !(1 / greatestAspect...greatestAspect).contains(aspect) {
            return
                "the sprite's aspect ratio may be at most \(Int(greatestAspect)):1 (see viewBox)"
        }
        return nil
    }

    private static func fault(ofElement name: Substring) -> String? {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 2, editors.contains(parts[0]) { return nil }
        return parts.count == 1 && elements.contains(name)
            ? nil : "a sprite may not use <\(name.prefix(40))>; draw with paths, gradients and simple filters"
    }

    private static func elementNames(in text: String) -> [Substring] {
        text.split(separator: "<", omittingEmptySubsequences: true).dropFirst(text.hasPrefix("<") ? 0 : 1)
            .filter { !$0.hasPrefix("/") && !$0.hasPrefix("?") && !$0.hasPrefix("!--") }
            .map { $0.prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" } }
    }

    private static func hasOnlySolidLines(_ text: String) -> Bool {
        let none = text.occurrences(of: "stroke-dasharray:none") + text.occurrences(of: "stroke-dasharray=\"none\"")
        return none == text.occurrences(of: "stroke-dasharray")
    }
}

extension String {
    /// Counts the occurrences of a text, without overlaps.
    fileprivate func occurrences(of part: String) -> Int {
        var count = 0
        var rest = utf8[...]
        let first = part.utf8.first!
        while let place = rest.firstIndex(of: first) {
            if rest[place...].starts(with: part.utf8) { count += 1 }
            rest = rest[rest.index(after: place)...]
        }
        return count
    }
}
