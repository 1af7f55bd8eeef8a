import Platform
package import Reactions

/// The file formats of sprites.
///
/// Pictures are checked by their headers before any decoder reads them: the size bounds the memory that decoding takes.
package enum SpriteFormat: String, Sendable, Hashable, CaseIterable {
    case svg, png, webp, gif

    /// The maximum size of a file in bytes.
    var greatestFile: Int { self == .svg ? EffectFile.greatestSize : 8 << 20 }
    /// The maximum width and height of a picture in pixels.
    static let greatestSide = 2048
    /// The maximum ratio of the longer side to the shorter side.
    static let greatestAspect = 10.0

    /// The format of a file's bytes; SVG if they are of no other format.
    package init(of bytes: [UInt8]) {
        if bytes.starts(with: Self.pngSignature) {
            self = .png
        } else if bytes.count >= 12, bytes.starts(with: Array("RIFF".utf8)), bytes[8..<12].elementsEqual("WEBP".utf8) {
            self = .webp
        } else if bytes.starts(with: Array("GIF87a".utf8)) || bytes.starts(with: Array("GIF89a".utf8)) {
            self = .gif
        } else {
            self = .svg
        }
    }

    private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Returns the width over the height of a sprite; 1 if it is unknown.
    package static func aspectRatio(of sprite: [UInt8]) -> Double {
        let format = SpriteFormat(of: sprite)
        if format == .svg { return SpriteCheck.aspectRatio(ofSVG: sprite) }
        guard let size = format.size(of: sprite), size.width > 0, size.height > 0 else { return 1 }
        return Double(size.width) / Double(size.height)
    }

    /// Returns the reason for rejecting a custom sprite, in words for the user; nil for a usable sprite.
    ///
    /// - Parameter bytes: The contents of a file whose name has this format's extension.
    func fault(in bytes: [UInt8]) -> String? {
        if bytes.count > greatestFile { return "the sprite is larger than \(greatestFile >> 10) KiB" }
        guard SpriteFormat(of: bytes) == self else { return "not a \(rawValue.uppercased()) file" }
        if self == .svg { return SpriteCheck.fault(in: bytes) }
        guard let size = size(of: bytes), size.width > 0, size.height > 0 else {
            return "the header of the \(rawValue.uppercased()) file is damaged; save it again"
        }
        if max(size.width, size.height) > Self.greatestSide {
            return
                "the sprite has \(size.width)×\(size.height) pixels; the limit is \(Self.greatestSide)×\(Self.greatestSide)"
        }
        let aspect = Double(size.width) / Double(size.height)
        if !(1 / Self.greatestAspect...Self.greatestAspect).contains(aspect) {
            return "the sprite's aspect ratio may be at most \(Int(Self.greatestAspect)):1"
        }
        do throws(SpriteFault) { _ = try AnimatedSprite(bytes, format: self) } catch { return error.message }
        return nil
    }

    /// Returns the size that a picture's header states; nil if the header is damaged.
    private func size(of bytes: [UInt8]) -> (width: Int, height: Int)? {
        func little(_ place: Int, _ count: Int) -> Int? { bytes.littleEndian(at: place, count: count) }
        let (width, height): (Int?, Int?)
        switch self {
        case .svg: return nil
        case .gif: (width, height) = (little(6, 2), little(8, 2))
        case .png:
            guard bytes.has("IHDR", at: 12) else { return nil }
            (width, height) = (bytes.bigEndian(at: 16, count: 4), bytes.bigEndian(at: 20, count: 4))
        case .webp:
            // RFC 9649, 2.5 to 2.7.
            guard bytes.count >= 30 else { return nil }
            switch String(decoding: bytes[12..<16], as: UTF8.self) {
            case "VP8X": (width, height) = (little(24, 3).map { $0 + 1 }, little(27, 3).map { $0 + 1 })
            case "VP8L":
                guard bytes[20] == 0x2F, let bits = little(21, 4) else { return nil }
                (width, height) = (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
            case "VP8 ":
                guard bytes[23...25].elementsEqual([0x9D, 0x01, 0x2A]) else { return nil }
                (width, height) = (little(26, 2).map { $0 & 0x3FFF }, little(28, 2).map { $0 & 0x3FFF })
            default: return nil
            }
        }
        guard let width, let height else { return nil }
        return (width, height)
    }
}

extension SpriteFormat {
    /// Reads and checks a file that is to become a sprite.
    ///
    /// - Throws: ``EffectError`` if it cannot be used.
    package static func read(_ file: String) throws(EffectError) -> (bytes: [UInt8], format: SpriteFormat) {
        let bytes = try EffectFile.read(file, limit: SpriteFormat.png.greatestFile)
        let format = SpriteFormat(of: bytes)
        if let fault = format.fault(in: bytes) { throw EffectError(file: file, message: fault) }
        return (bytes, format)
    }
}

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
