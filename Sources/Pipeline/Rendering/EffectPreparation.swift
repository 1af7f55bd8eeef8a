import Effects
import Platform
import Raster
import Synchronization

/// What effects need beside their descriptions, drawn on threads of their own: the sprites.
///
/// Whether it is ready in time changes nothing in the pictures: what is missing then is made when it is needed.
///
/// Used by one thread at a time.
final class EffectPreparation {
    /// What the threads have made.
    private final class Ready: Sendable {
        let sprites = Mutex<[PreparedSprites]>([])
    }

    /// What was asked for already.
    private struct Request: Hashable {
        var type: String
        var height: Double
        var encoding: ColourEncoding
    }

    private let rasterizer: SpriteRasterizer
    private let ready = Ready()
    private var asked: Set<Request> = []

    init(rasterizer: @escaping SpriteRasterizer) {
        self.rasterizer = rasterizer
    }

    /// Begins to draw the sprites of effects for pictures of a format; what was asked for before is not begun again.
    /// - Parameter waits: whether to return only when they are drawn.
    func begin(
        _ descriptions: [EffectDescription], library: EffectLibrary, geometry: DisplayGeometry, format: PictureFormat,
        waits: Bool
    ) {
        let wanted = descriptions.filter {
            let request = Request(
                type: $0.type, height: geometry.uprightHeight, encoding: ColourEncoding(format))
            return !$0.sprites.isEmpty && asked.insert(request).inserted
        }
        if wanted.isEmpty { return }
        let work: @Sendable () -> Void = { [ready, rasterizer] in
            // One by one, so that the first need not wait for the last.
            for description in wanted {
                let sprites = PreparedSprites(
                    of: description, library: library, rasterizer: rasterizer, geometry: geometry, format: format)
                ready.sprites.withLock { $0.append(sprites) }
            }
        }
        if waits { work() } else { StageThread(work).detach() }
    }

    /// What has become ready since it was asked last.
    func take() -> [PreparedSprites] {
        ready.sprites.withLock { sprites in
            defer { sprites.removeAll() }
            return sprites
        }
    }
}
