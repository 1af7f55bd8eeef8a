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

    package func seeds() throws -> [FuzzInput] {
        try FuzzFiles.all(
            in: assets + (changesSprite ? "/Sprites" : "/Reactions"), kind: changesSprite ? "svg" : "json")
    }

    package func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        _ = folder.empty()
        do {
            var library = try EffectLibrary(assets: assets)
            let file: String
            if changesSprite {
                _ = try folder.write(input.bytes, as: "own.svg")
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
        let renderer = ParticleRenderer(library: library) { try RGBAImage.rasterizeSVG($0, width: $1, height: $2) }
        let instance = EffectInstance(description: description, seed: seed, startTime: 0)
        for share in [0, 0.1, 0.5, 0.99] {
            var frame = try VideoFrame(format: format, time: .zero, pool: pool)
            try frame.withMutablePicture(pool: pool) {
                try renderer.draw([instance], at: share * description.duration, on: &$0, geometry: geometry)
            }
        }
    }
}
