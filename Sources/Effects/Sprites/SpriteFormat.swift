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
        func number(_ at: Int, _ count: Int) -> Int {
            bytes[at..<at + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        switch self {
        case .svg: return nil
        case .gif:
            guard let width = PictureBytes(bytes).little(6, 2), let height = PictureBytes(bytes).little(8, 2) else {
                return nil
            }
            return (width, height)
        case .png:
            guard bytes.count >= 24, bytes[12..<16].elementsEqual("IHDR".utf8) else { return nil }
            func big(_ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
            return (big(16), big(20))
        case .webp:
            // RFC 9649, 2.5 to 2.7.
            guard bytes.count >= 30 else { return nil }
            switch String(decoding: bytes[12..<16], as: UTF8.self) {
            case "VP8X": return (number(24, 3) + 1, number(27, 3) + 1)
            case "VP8L":
                let bits = number(21, 4)
                return bytes[20] == 0x2F ? (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1) : nil
            case "VP8 ":
                guard bytes[23...25].elementsEqual([0x9D, 0x01, 0x2A]) else { return nil }
                return (number(26, 2) & 0x3FFF, number(28, 2) & 0x3FFF)
            default: return nil
            }
        }
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
