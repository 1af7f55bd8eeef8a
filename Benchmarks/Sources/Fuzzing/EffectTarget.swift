import Effects
import Flourish
import MediaIO
import Raster

/// A custom effect with a custom sprite: it is read, checked and drawn at some times.
package struct EffectTarget: FuzzTarget {
    package let name: String
    private let folder: FuzzFolder
    private let assets: String
    private let changesSprite: Bool

    /// - Parameter changesSprite: indicates whether the sprite is mutated rather than the description.
    package init(folder: FuzzFolder, assets: String, changesSprite: Bool) {
        name = changesSprite ? "sprite" : "effect"
        self.folder = folder
        self.assets = assets
        self.changesSprite = changesSprite
    }

    private static let description = """
        {"type": "own", "emitters": [{"count": 3, "shape": "sprite", "sprite": "own", "size": [0.1, 0.3], "life": 1}]}
        """

    private static let textDescription = """
        {"type": "own", "emitters": [{"count": 1, "shape": "sprite", "size": [0.1, 0.3], "life": 1, "text": {
        "string": "Bravo \u{5E9}\u{5DC} \u{1F389}\u{200D}e\u{301}", "font": "DejaVu Serif", "colour": "#fff2a8",
        "outline": {"width": 0.08, "colour": "#40210a"}, "bubble": {"colour": "#8a3ffc"}}}]}
        """

    /// An animated GIF of two pixels and two frames, and a still and an animated PNG and WebP of one pixel.
    private static let pictures: [[UInt8]] = [
        Array("GIF89a".utf8) + [
            2, 0, 1, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255, 0x21, 0xF9, 4, 1, 5, 0, 1, 0, 0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0,
            2, 2, 0x44, 0x0A, 0, 0x21, 0xF9, 4, 9, 9, 0, 1, 0, 0x2C, 1, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B,
        ],
        animatedPNG, animatedWebP,
    ]

    private static let animatedPNG: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0])
        + chunk("acTL", [0, 0, 0, 2, 0, 0, 0, 0]) + chunk("fcTL", control(0)) + chunk("IDAT", pixel)
        + chunk("fcTL", control(1)) + chunk("fdAT", [0, 0, 0, 2] + pixel) + chunk("IEND", [])

    /// One opaque red pixel as a zlib stream.
    private static let pixel: [UInt8] = [
        0x78, 1, 1, 5, 0, 0xFA, 0xFF, 0, 255, 0, 0, 255, 0x05, 0x00, 0x01, 0xFF,
    ]

    private static func control(_ number: UInt8) -> [UInt8] {
        [0, 0, 0, number, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 9, 0, 0]
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        [0, 0, 0, UInt8(data.count)] + Array(name.utf8) + data + [0, 0, 0, 0]
    }

    private static let animatedWebP: [UInt8] = {
        let pixels: [UInt8] = [
            0x2F, 0x0F, 0xC0, 0x01, 0, 0x07, 0x10, 0xFD, 0x8F, 0xFE, 0x07, 0x22, 0xA2, 0xFF, 0x01, 0,
        ]
        let still = Array("VP8L".utf8) + [16, 0, 0, 0] + pixels
        let frame = Array("ANMF".utf8) + [40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 0, 0, 7, 0, 0, 100, 0, 0, 2] + still
        let head = Array("VP8X".utf8) + [10, 0, 0, 0, 2, 0, 0, 0, 15, 0, 0, 7, 0, 0]
        let body = Array("WEBP".utf8) + head + frame + frame
        return Array("RIFF".utf8) + [UInt8(body.count), 0, 0, 0] + body
    }()

    package func seeds() throws -> [FuzzInput] {
        let files = try FuzzFiles.all(
            in: assets + (changesSprite ? "/Sprites" : "/Reactions"), kind: changesSprite ? "svg" : "json")
        return files
            + (changesSprite
                ? Self.pictures.map { FuzzInput(kind: SpriteFormat(of: $0).rawValue, bytes: $0) }
                : [FuzzInput("json", Self.textDescription)])
    }

    package func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        _ = folder.empty()
        do {
            var library = try EffectLibrary(assets: assets)
            let file: String
            if changesSprite {
                _ = try folder.write(input.bytes, as: "own." + SpriteFormat(of: input.bytes).rawValue)
                file = try folder.write(Array(Self.description.utf8), as: "own.json")
            } else {
                file = try folder.write(input.bytes, as: "own.json")
            }
            let type = try library.add(file: file)
            guard let description = library.descriptions[type] else { throw FuzzFault("the effect is lost") }
            try draw(description, library, seed)
            return "drawn"
        } catch let fault as FuzzFault { throw fault } catch { return try Refusal.word(for: error) }
    }

    private func draw(_ description: EffectDescription, _ library: EffectLibrary, _ seed: UInt64) throws {
        let format = PictureFormat(width: 160, height: 90)
        let geometry = DisplayGeometry(storedWidth: format.width, storedHeight: format.height)
        let pool = FramePool()
        let renderer = ParticleRenderer(library: library) { try RGBAImage.sprite($0, width: $1, height: $2) }
        let instance = EffectInstance(description: description, seed: seed, startTime: 0)
        for share in [0, 0.1, 0.5, 0.99] {
            var frame = try VideoFrame(format: format, time: .zero, pool: pool)
            try frame.withMutablePicture(pool: pool) {
                try renderer.draw([instance], at: share * description.duration, on: &$0, geometry: geometry)
            }
        }
    }
}
