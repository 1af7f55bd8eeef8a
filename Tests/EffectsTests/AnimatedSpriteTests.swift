import Foundation
import MediaIO
import Raster
import Reactions
import TestSupport
import Testing

@testable import Effects

/// Sprites from animated GIF, PNG and WebP files: their frames, their durations, and damaged files.
@Suite("Animated sprites")
struct AnimatedSpriteTests {
    private static let rasterizer: SpriteRasterizer = { try RGBAImage.sprite($0, width: $1, height: $2) }
    private static let flake =
        ##"{"type": "flake", "emitters": [{"count": 1, "shape": "sprite", "sprite": "star", "size": 0.5}]}"##

    private struct NoFrames: Error {}

    /// Returns the composed frames of a file.
    private func frames(_ bytes: [UInt8], height: Int = 1024) throws -> [RGBAImage] {
        guard let composer = try SpriteComposer(bytes, rasterize: Self.rasterizer) else { throw NoFrames() }
        var images: [RGBAImage] = []
        try composer.compose(.max, height: height) { images.append($0) }
        return images
    }

    /// Returns a picture as letters: red, green, blue, white, transparent (`.`) and others (`?`).
    private func letters(_ image: RGBAImage) -> String {
        (0..<image.height).map { y in
            (0..<image.width).map { x in
                let at = (y * image.width + x) * 4
                switch (image.pixels[at], image.pixels[at + 1], image.pixels[at + 2], image.pixels[at + 3]) {
                case (_, _, _, 0): return "."
                case (255, 0, 0, 255): return "r"
                case (0, 255, 0, 255): return "g"
                case (0, 0, 255, 255): return "b"
                case (255, 255, 255, 255): return "w"
                default: return "?"
                }
            }.joined()
        }.joined(separator: "/")
    }

    private func fault(_ bytes: [UInt8], _ format: SpriteFormat) -> String { format.fault(in: bytes) ?? "" }

    // MARK: Frames

    /// Frames are smaller than the canvas, and the areas of former frames are kept, cleared or restored.
    @Test func gifFramesAreComposed() throws {
        let frames = [
            GIFMaker.Frame("rrr/rrr", delay: 5), GIFMaker.Frame("gg", x: 1, y: 0, delay: 20, disposal: 2),
            GIFMaker.Frame("b.b", x: 0, y: 1, delay: 0, disposal: 3), GIFMaker.Frame("w", x: 2, y: 1, delay: 30),
        ]
        let file = GIFMaker(width: 3, height: 2, frames: frames).bytes
        #expect(try self.frames(file).map(letters) == ["rrr/rrr", "rgg/rrr", "r../brb", "r../rrw"])
        let animation = try #require(try AnimatedSprite(file, format: .gif))
        // A delay of 0 is shown for 0.1 s, as in browsers.
        #expect(animation.ends.map { ($0 * 1000).rounded() } == [50, 250, 350, 650])
    }

    @Test func interlacedGIFFramesKeepTheirLines() throws {
        let file = GIFMaker(
            width: 1, height: 8, frames: [GIFMaker.Frame("r/g/b/w/r/g/b/w", delay: 5, isInterlaced: true)]
        ).bytes
        #expect(try frames(file).map(letters) == ["r/g/b/w/r/g/b/w"])
    }

    @Test func apngFramesAreComposed() throws {
        let frames = [
            APNGMaker.Frame("rrr/rrr", delay: (1, 20)),
            APNGMaker.Frame("g.", x: 1, y: 0, delay: (1, 5), disposal: 1, blend: 1),
            APNGMaker.Frame("b.b", x: 0, y: 1, delay: (3, 0), disposal: 2, blend: 0),
            APNGMaker.Frame("w", x: 2, y: 1, delay: (0, 10)),
        ]
        let file = APNGMaker(width: 3, height: 2, frames: frames).bytes
        #expect(try self.frames(file).map(letters) == ["rrr/rrr", "rgr/rrr", "r../b.b", "r../rrw"])
        let animation = try #require(try AnimatedSprite(file, format: .png))
        #expect(animation.ends.map { ($0 * 1000).rounded() } == [50, 250, 280, 380])
    }

    /// The picture for programs without animation is not a frame.
    @Test func aHiddenPictureOfAnAPNGIsNotShown() throws {
        let file = APNGMaker(
            width: 2, height: 1, frames: [.init("rg", delay: (1, 10)), .init("bw", delay: (1, 10))], hidden: "ww"
        ).bytes
        #expect(try frames(file).map(letters) == ["rg", "bw"])
    }

    @Test func webpFramesAreComposed() throws {
        let images = try frames(AnimatedFiles.webp)
        #expect(images.count == 2 && images.allSatisfy { $0.width == 16 && $0.height == 8 })
        #expect(Set(letters(images[0])) == ["r", "/"])
        #expect(images[1].pixels[0] == 0 && images[1].pixels[1] > 100 && images[1].pixels[3] == 255)
        let animation = try #require(try AnimatedSprite(AnimatedFiles.webp, format: .webp))
        #expect(animation.ends.map { ($0 * 1000).rounded() } == [100, 300])
        // Lossy, with a separate alpha channel.
        let half = try #require(try frames(AnimatedFiles.transparentWebP).first)
        #expect(half.pixels[0] > 240 && half.pixels[2] < 15 && (120...135).contains(half.pixels[3]))
    }

    @Test func framesAreReducedToTheSizeNeeded() throws {
        let wide = GIFMaker(width: 4, height: 2, frames: [.init("rrgg/rrgg", delay: 5), .init("ggrr/ggrr", delay: 5)])
        #expect(try frames(wide.bytes, height: 1).map(letters) == ["rg", "gr"])
    }

    // MARK: Playing

    private func load(_ sprite: [UInt8], as name: String, description: String = flake) throws -> EffectLibrary {
        try withTemporaryFolder { folder in
            try Data(description.utf8).write(to: folder.appending(path: "flake.json"))
            try Data(sprite).write(to: folder.appending(path: name))
            var library = try EffectTestAssets.library()
            try library.add(folder: folder.path)
            return library
        }
    }

    /// A picture's colour changes with the particle's age, and again from the start after the last frame.
    @Test func aParticlePlaysTheFramesByItsAge() throws {
        let file = GIFMaker(width: 1, height: 1, frames: [.init("r", delay: 20), .init("b", delay: 30)]).bytes
        let library = try load(file, as: "star.gif")
        func red(_ description: EffectDescription, at time: Double) throws -> Bool {
            let renderer = ParticleRenderer(library: library, rasterizer: Self.rasterizer)
            let instance = EffectInstance(description: description, seed: 1, startTime: 10)
            let frame = try EffectTestAssets.draw(
                [instance], at: 10 + time, on: PictureFormat(width: 160, height: 90), flat: true, with: renderer)
            return frame[.cr, 40, 22] > frame[.cb, 40, 22]
        }
        let description = try #require(library.descriptions["flake"])
        // The particle is born at the effect's start, since its burst takes no time.
        let shown = try [0, 0.15, 0.25, 0.45, 0.55, 0.65, 0.75, 0.95, 1.05].map { try red(description, at: $0) }
        #expect(shown == [true, true, false, false, true, true, false, false, true])
        // Nothing moves in a calm style.
        let calm = description.calmed()
        let film = try #require(calm.emitters.last)
        #expect(film.appearance.sprite != nil && !film.appearance.plays)
    }

    /// The pictures of an animation do not depend on what was drawn before.
    @Test func framesOfAnEffectAreTheSameBytes() throws {
        let file = APNGMaker(
            width: 3, height: 2, frames: [.init("rgb/bgr", delay: (1, 10)), .init("w.w", x: 0, y: 1, delay: (1, 5))]
        ).bytes
        let description =
            ##"{"type": "flake", "emitters": [{"rate": 9, "life": 1, "x": [-0.4, 0.4], "spin": 90, "shape": "sprite", "sprite": "star", "size": 0.3}]}"##
        let library = try load(file, as: "star.png", description: description)
        let effect = try #require(library.descriptions["flake"])
        let format = PictureFormat(width: 160, height: 90)
        func checksum(_ time: Double, _ renderer: ParticleRenderer) throws -> String {
            try EffectTestAssets.draw(
                [EffectInstance(description: effect, seed: 7, startTime: 0)], at: time, on: format, flat: true,
                with: renderer
            ).checksum
        }
        let one = ParticleRenderer(library: library, rasterizer: Self.rasterizer)
        let forward = try [0.4, 0.5, 0.6].map { try checksum($0, one) }
        let backward = try [0.6, 0.5, 0.4].map { try checksum($0, one) }
        #expect(forward == backward.reversed() && Set(forward).count == 3)
        let prepared = PreparedSprites(
            of: effect, library: library, rasterizer: Self.rasterizer,
            geometry: DisplayGeometry(storedWidth: 160, storedHeight: 90), format: format)
        let other = ParticleRenderer(library: library, rasterizer: { _, _, _ in throw CancellationError() })
        other.adopt(prepared)
        #expect(try checksum(0.5, other) == forward[1])
    }

    // MARK: Limits and damage

    @Test func tooLargeAnimationsAreRefusedUnread() throws {
        let many = GIFMaker(width: 1, height: 1, frames: (0...240).map { _ in .init("r", delay: 5) }).bytes
        #expect(fault(many, .gif).contains("more than 240 frames"))
        // The pixels are not there: only the headers are read.
        let wide = GIFMaker(width: 1500, height: 1500, frames: [.init("r", delay: 5), .init("b", delay: 5)]).bytes
        #expect(fault(wide, .gif).contains("1500×1500 pixels; the limit is 1024×1024"))
        let long = GIFMaker(width: 1000, height: 1000, frames: (0..<100).map { _ in .init("r", delay: 5) }).bytes
        #expect(fault(long, .gif).contains("100 frames") && fault(long, .gif).contains("limit is 128 MiB"))
        let outside = GIFMaker(width: 2, height: 2, frames: [.init("rr", x: 1, y: 0, delay: 5)]).bytes
        #expect(fault(outside, .gif).contains("lies outside of the picture"))
        var stated = APNGMaker(width: 2, height: 1, frames: [.init("rg", delay: (1, 10))]).bytes
        stated[41...44] = [0xFF, 0xFF, 0xFF, 0xFF]
        #expect(fault(stated, .png).contains("ends early or is damaged"))
        let none = Array(GIFMaker(width: 2, height: 1, frames: []).bytes)
        #expect(fault(none, .gif).contains("no frames"))
    }

    /// Each colour of an animation needs a copy in memory.
    @Test func coloursCountTowardsTheLimit() throws {
        let file = GIFMaker(width: 500, height: 500, frames: (0..<50).map { _ in .init("r", delay: 5) }).bytes
        let colours = (0..<3).map { "\"#00000\($0)\"" }.joined(separator: ",")
        let description =
            #"{"type": "flake", "emitters": [{"count": 1, "shape": "sprite", "sprite": "star", "colours": [\#(colours)]}]}"#
        #expect(throws: EffectError.self) { try load(file, as: "star.gif", description: description) }
        _ = try load(file, as: "star.gif")
    }

    @Test func shortenedFilesAreRefused() throws {
        let gif = GIFMaker(width: 3, height: 2, frames: [.init("rrr/ggg", delay: 5), .init("bb", delay: 5)]).bytes
        let png = APNGMaker(
            width: 3, height: 2, frames: [.init("rrr/ggg", delay: (1, 9)), .init("bb", delay: (1, 9))]
        ).bytes
        for (bytes, format) in [(gif, SpriteFormat.gif), (png, .png), (AnimatedFiles.webp, .webp)] {
            #expect(format.fault(in: bytes) == nil)
            for count in 0..<bytes.count {
                let short = Array(bytes[..<count])
                // A file without its last chunk or its last frames may still be whole, but it never shows more.
                guard format.fault(in: short) == nil else { continue }
                let shown = (try? frames(short).count) ?? 0
                #expect(shown <= 2)
            }
        }
        #expect(fault(Array(gif.dropLast(4)), .gif).contains("ends early"))
        #expect(fault(Array(AnimatedFiles.webp.dropLast(4)), .webp).contains("ends early"))
    }

    /// Whatever the bytes are, reading ends without a crash, and pictures have the size that was checked.
    @Test func changedFilesEndInPicturesOrErrors() throws {
        let gif = GIFMaker(
            width: 6, height: 4, frames: [.init("rrgg/bbww", delay: 5), .init("b.", x: 2, y: 1, delay: 5, disposal: 3)]
        ).bytes
        let png = APNGMaker(
            width: 6, height: 4,
            frames: [.init("rrgg/bbww", delay: (1, 9)), .init("b.", x: 2, y: 1, delay: (1, 9), disposal: 2)]
        ).bytes
        var generator = SeededGenerator(seed: 11)
        for (bytes, format) in [
            (gif, SpriteFormat.gif), (png, .png), (AnimatedFiles.webp, .webp), (AnimatedFiles.transparentWebP, .webp),
        ] {
            for _ in 0..<250 {
                var changed = bytes
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    changed[.random(in: 0..<changed.count, using: &generator)] = .random(
                        in: 0...255, using: &generator)
                }
                if Bool.random(using: &generator) {
                    changed.removeLast(.random(in: 0..<changed.count / 2, using: &generator))
                }
                guard format.fault(in: changed) == nil else { continue }
                let images = (try? frames(changed, height: 64)) ?? []
                #expect(images.count <= 240 && images.allSatisfy { $0.width * $0.height <= 2048 * 2048 })
            }
        }
    }
}
