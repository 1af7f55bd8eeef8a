import Effects
import MediaIO
import Platform
import Raster
import Reactions
import Synchronization

/// Draws the sprites of effects in advance, on separate threads.
///
/// Pictures do not depend on it. A sprite that is not ready is drawn when it is needed.
///
/// Used by one thread at a time.
final class EffectPreparation {
    /// The sprites that the threads have drawn.
    private final class Ready: Sendable {
        let sprites = Mutex<[PreparedSprites]>([])
    }

    /// A request that was already made.
    private struct Request: Hashable {
        var type: String
        var height: Double
        var encoding: ColourEncoding
    }

    private let rasterizer: SpriteRasterizer
    private let ready = Ready()
    private var asked: Set<Request> = []

    /// Draws the sprites of all effects again when they are requested, since their colours have changed.
    func reset() { asked = [] }

    init(rasterizer: @escaping SpriteRasterizer) {
        self.rasterizer = rasterizer
    }

    /// Starts drawing the sprites of effects for pictures of a format. Sprites that were requested before are not drawn
    /// again.
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
            var animationSize = 0
            // Sprites are drawn one by one, so that the first effect need not wait for the last.
            for description in wanted {
                let sprites = PreparedSprites(
                    of: description, library: library, rasterizer: rasterizer, geometry: geometry, format: format)
                animationSize += sprites.animationSize
                if sprites.animationSize > 0, animationSize > PreparedSprites.greatestAnimationSize { continue }
                ready.sprites.withLock { $0.append(sprites) }
            }
        }
        if waits { work() } else { StageThread(work).detach() }
    }

    /// Returns the sprites that have become ready since the last call, and removes them.
    func take() -> [PreparedSprites] {
        ready.sprites.withLock { sprites in
            defer { sprites.removeAll() }
            return sprites
        }
    }
}
