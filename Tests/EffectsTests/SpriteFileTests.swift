import Foundation
import MediaIO
import Raster
import Reactions
import TestSupport
import Testing

@testable import Effects

/// Sprites from PNG and WebP files: accepted, refused, and drawn.
@Suite("Sprites from files")
struct SpriteFileTests {
    private static let flake =
        ##"{"type": "flake", "emitters": [{"count": 1, "shape": "sprite", "sprite": "star", "size": 0.5}]}"##

    /// A picture whose left half is red, and whose right half is transparent.
    private static func image(width: Int = 40, height: Int = 20) -> RGBAImage {
        var image = RGBAImage(width: width, height: height)
        for y in 0..<height {
            for x in 0..<width / 2 {
                let at = (y * width + x) * 4
                (image.pixels[at], image.pixels[at + 3]) = (255, 255)
            }
        }
        return image
    }

    private func load(_ sprite: [UInt8], as name: String) throws -> EffectLibrary {
        try withTemporaryFolder { folder in
            try Data(Self.flake.utf8).write(to: folder.appending(path: "flake.json"))
            try Data(sprite).write(to: folder.appending(path: name))
            var library = try EffectTestAssets.library()
            try library.add(folder: folder.path)
            return library
        }
    }

    private func fault(_ sprite: [UInt8], as name: String = "star.png") -> String {
        do {
            _ = try load(sprite, as: name)
            return ""
        } catch {
            return "\(error)"
        }
    }

    private static func header(_ width: UInt32, _ height: UInt32) -> [UInt8] {
        func big(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + big(13) + Array("IHDR".utf8) + big(width)
            + big(height)
            + [8, 6, 0, 0, 0] + big(0)
    }

    @Test func aPictureIsDrawnInItsOwnColours() throws {
        let library = try load(Self.image().pngBytes(), as: "star.png")
        let description = try #require(library.descriptions["flake"])
        let renderer = ParticleRenderer(
            library: library, rasterizer: { try RGBAImage.sprite($0, width: $1, height: $2) })
        let format = PictureFormat(width: 160, height: 90)
        let instance = EffectInstance(description: description, seed: 1, startTime: 0)
        let frame = try EffectTestAssets.draw([instance], at: 1, on: format, flat: true, with: renderer)
        let plain = EffectTestFrame(format, flat: true)
        // The sprite is 45 pixels high and 90 wide; its left half is red.
        #expect(frame[.cr, 30, 22] > 200)
        #expect(frame[.cr, 50, 22] == plain[.cr, 50, 22])
        #expect(frame[.luma, 5, 5] == plain[.luma, 5, 5])
    }

    @Test func pixelsAreThoseOfTheFile() throws {
        let drawn = try RGBAImage.sprite(Self.image().pngBytes(), width: 512, height: 256)
        #expect(drawn == Self.image())
        let small = try RGBAImage.sprite(Self.image(width: 400, height: 200).pngBytes(), width: 40, height: 20)
        #expect(small == Self.image())
    }

    @Test func aReducedPictureWeighsColoursByTheirOpacity() throws {
        // An opaque red pixel beside a transparent green one.
        let image = RGBAImage(
            width: 2, height: 2, pixels: [255, 0, 0, 255, 0, 255, 0, 0, 255, 0, 0, 255, 0, 255, 0, 0])
        let reduced = try RGBAImage.sprite(image.pngBytes(), width: 1, height: 1)
        #expect(reduced.pixels == [255, 0, 0, 128])
    }

    @Test func unusableFilesGiveOneLine() throws {
        let png = try Self.image().pngBytes()
        let animated =
            Array(png[..<33]) + [0, 0, 0, 8] + Array("acTL".utf8) + Array(repeating: 0, count: 12) + png[33...]
        for (bytes, name, words) in [
            (Self.header(50_000, 50_000), "star.png", "50000×50000 pixels; the limit is 2048×2048"),
            (Self.header(2048, 100), "star.png", "aspect ratio may be at most 10:1"),
            (Self.header(0, 7), "star.png", "damaged"), (Array(Self.header(9, 9)[..<20]), "star.png", "damaged"),
            (animated, "star.png", "no frames"), (png, "star.webp", "not a WEBP file"),
            (png, "star.svg", "not a SVG file"),
            (Array("GIF89a".utf8), "star.png", "not a PNG file"),
            (png + [UInt8](repeating: 0, count: 8 << 20), "star.png", "larger than 8192 KiB"),
        ] {
            let fault = fault(bytes, as: name)
            #expect(fault.contains(words) && fault.contains(name) && !fault.contains("\n"), "\(fault)")
        }
    }

    /// A file with a valid header and damaged data is reported when it is drawn.
    @Test func damagedDataIsReported() throws {
        let png = try Self.image().pngBytes()
        #expect(throws: MediaError.self) { try RGBAImage.sprite(Array(png[..<40]), width: 40, height: 20) }
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            var bytes = png
            for _ in 0..<3 {
                bytes[Int.random(in: 8..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            // Whatever the result is, drawing ends without a crash, and a picture has a size within the limit.
            if SpriteFormat.png.fault(in: bytes) == nil, let image = try? RGBAImage.sprite(bytes, width: 40, height: 20)
            {
                #expect(image.width * image.height <= 2048 * 2048)
            }
        }
    }

    /// A compressed text of 64 MiB is not expanded.
    @Test func textsAreNotRead() throws {
        let png = try Self.image().pngBytes()
        let text = Array("zTXt".utf8) + Array("a".utf8) + [0, 0] + [UInt8](repeating: 1, count: 90)
        let chunk = [0, 0, 0, UInt8(text.count - 4)] + text + [0, 0, 0, 0]
        let drawn = try RGBAImage.sprite(Array(png[..<33]) + chunk + png[33...], width: 40, height: 20)
        #expect(drawn == Self.image())
    }

    @Test(arguments: ["heart", "thumbsUp", "confetti", "balloons"])
    func aTemplateShowsTheSprite(_ model: String) throws {
        let file = EffectTestAssets.folder + "/Reactions/\(model).json"
        let text = try EffectTemplate.text(
            named: "flake", showing: .sprite("star"), from: EffectFile.read(file), file: file)
        let schema = try JSONSchema(contentsOf: Repository.root.appending(path: "Assets/Editor/effect.schema.json"))
        #expect(schema.faults(in: try JSONValue(parsing: text)) == [])
        try withTemporaryFolder { folder in
            try Data(text.utf8).write(to: folder.appending(path: "flake.json"))
            try Data(Self.image().pngBytes()).write(to: folder.appending(path: "star.png"))
            var library = try EffectTestAssets.library()
            try library.add(folder: folder.path)
            let description = try #require(library.descriptions["flake"])
            #expect(description.sprites == [folder.path + "/star.png"])
        }
    }

    /// A wide picture is inside of every frame, wherever the effect starts.
    @Test(arguments: ["thumbsUp", "thumbsDown"], [1.5, 3, 10])
    func aWidePictureIsInside(_ model: String, _ aspectRatio: Double) throws {
        let file = EffectTestAssets.folder + "/Reactions/\(model).json"
        let text = try EffectTemplate.text(
            named: "flake", showing: .sprite("star"), aspectRatio: aspectRatio, from: EffectFile.read(file), file: file)
        let schema = try JSONSchema(contentsOf: Repository.root.appending(path: "Assets/Editor/effect.schema.json"))
        #expect(schema.faults(in: try JSONValue(parsing: text)) == [])
        let library = try withTemporaryFolder { folder in
            try Data(text.utf8).write(to: folder.appending(path: "flake.json"))
            let picture = Self.image(width: Int(20 * aspectRatio), height: 20)
            try Data(picture.pngBytes()).write(to: folder.appending(path: "star.png"))
            var library = try EffectTestAssets.library()
            try library.add(folder: folder.path)
            return library
        }
        let footprint = try #require(library.descriptions["flake"]?.footprint)
        for frame in [16.0 / 9, 4.0 / 3, 1, 9.0 / 16] {
            let half = footprint.halves(aspectRatio: frame)
            #expect(half.width > half.height && 2 * half.width < frame)
            for x in [0, 0.3, 0.5, 0.9, 1] {
                for y in [0, 0.5, 1] {
                    let centre = footprint.centre(originX: x, originY: y, aspectRatio: frame)
                    #expect(centre.x >= half.width && centre.x + half.width <= frame)
                    #expect(centre.y >= half.height && centre.y + half.height <= 1)
                }
            }
        }
    }

    @Test(arguments: ["fireworks", "lasers"])
    func effectsWithoutPiecesAreRefused(_ model: String) throws {
        let file = EffectTestAssets.folder + "/Reactions/\(model).json"
        #expect(throws: EffectError.self) {
            try EffectTemplate.text(named: "flake", showing: .sprite("star"), from: EffectFile.read(file), file: file)
        }
    }
}
