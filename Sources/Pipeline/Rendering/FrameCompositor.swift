import Effects
package import MediaIO
import Platform
package import Raster
package import Reactions
import Synchronization

/// Draws planned effects on frames.
///
/// Used by one thread at a time.
package final class FrameCompositor {
    private var library: EffectLibrary
    private let renderer: ParticleRenderer
    private let seed: UInt64
    private let people: PeopleFinder
    private let preparation: EffectPreparation

    /// - Parameters:
    ///   - seed: the number that every random choice comes from.
    ///   - resources: where the models are that tell people from the room.
    ///   - onTwoThreads: whether a second thread draws part of each picture, where there is more than one core. That
    ///     takes no less of the processor, but less time, for those who wait for the picture.
    package init(catalog: EffectCatalog, seed: UInt64, resources: Resources, onTwoThreads: Bool = false) {
        library = catalog.library
        let rasterizer: SpriteRasterizer = { [drawings = resources.shared?.drawings] svg, width, height in
            try drawings?.drawing(of: svg, width: width, height: height)
                ?? RGBAImage.rasterizeSVG(svg, width: width, height: height)
        }
        let helper = onTwoThreads && Machine.cores > 1 ? HelperThread() : nil
        renderer = ParticleRenderer(library: library, rasterizer: rasterizer, helper: helper)
        preparation = EffectPreparation(rasterizer: rasterizer)
        self.seed = seed
        people = PeopleFinder(resources: resources)
    }

    /// The share of each effect's pieces that is drawn, beside what was chosen for it alone.
    package var detail = 1.0

    /// Draws the same effects in another style from now on; their sprites stay.
    func setLibrary(of catalog: EffectCatalog) { library = catalog.library }

    /// By how much looks for people are further apart than usual, 1…2.
    var maskStretch: Double {
        get { people.stretch }
        set { people.stretch = newValue }
    }

    /// The number of pictures that were searched for people.
    package var lookCount: Int { people.lookCount }

    /// Returns the warnings since the last call, and removes them.
    func takeWarnings() -> [PipelineWarning] { people.takeWarnings() }

    /// Draws the sprites of effects ahead and loads the model that finds people, on threads of their own: in the
    /// first frame that needs them it would take too long. Pictures stay the same.
    ///
    /// - Parameter waits: whether to return only when all is done.
    package func prepare(_ types: [ReactionType], for frame: borrowing VideoFrame, waits: Bool = false) {
        prepare(types, for: frame.geometry, frame.pictureFormat, waits: waits)
    }

    /// The same before there is a frame.
    package func prepare(
        _ types: [ReactionType], for geometry: DisplayGeometry, _ format: PictureFormat, waits: Bool
    ) {
        let descriptions = types.compactMap { library.descriptions[$0.rawValue] }
        preparation.begin(descriptions, library: library, geometry: geometry, format: format, waits: waits)
        if descriptions.contains(where: \.needsMask) { people.prepare(for: geometry, waits: waits) }
    }

    /// Draws what the effects show at a time. People are searched for only while something may be
    /// behind them.
    ///
    /// The frame is copied first if its pixels are shared; with no
    /// visible effect nothing happens to it.
    ///
    /// - Parameters:
    ///   - time: the frame's time stamp in seconds.
    ///   - pool: where the copy comes from.
    /// - Throws: ``FlourishError`` where a sprite cannot be drawn, `MediaError` where there is no memory.
    package func draw(
        _ effects: [PlannedEffect], at time: Double, on frame: inout VideoFrame, pool: FramePool
    ) throws {
        let instances = visible(effects, at: time)
        if instances.isEmpty { return }
        let geometry = frame.geometry
        try frame.withMutablePicture(pool: pool) { picture in
            let mask = picture.withPicture { peopleMask(of: $0, for: instances, geometry: geometry, at: time) }
            try draw(instances, at: time, on: &picture, geometry: geometry, mask: mask)
        }
    }

    /// Draws what the effects show at a time without the picture under it. What is behind people is hidden by those
    /// in the frame, which stays as it is.
    ///
    /// - Returns: `nil` where nothing is to be seen.
    /// - Throws: as ``draw(_:at:on:pool:)``.
    func drawAlone(
        _ effects: [PlannedEffect], at time: Double, before frame: borrowing VideoFrame, on canvas: OverlayCanvas
    ) throws -> VideoFrame? {
        let instances = visible(effects, at: time)
        if instances.isEmpty { return nil }
        let geometry = frame.geometry
        let mask =
            frame.hasPicture
            ? frame.withPicture { peopleMask(of: $0, for: instances, geometry: geometry, at: time) } : nil
        return try canvas.picture(like: frame) { picture in
            try draw(instances, at: time, on: &picture, geometry: geometry, mask: mask)
        }
    }

    private func visible(_ effects: [PlannedEffect], at time: Double) -> [EffectInstance] {
        effects.compactMap(instance).filter { $0.isVisible(at: time) }
    }

    /// The people in a picture, if something may be behind them.
    private func peopleMask(
        of picture: borrowing Picture, for instances: [EffectInstance], geometry: DisplayGeometry, at time: Double
    ) -> TileMask? {
        guard instances.contains(where: \.description.needsMask) else { return nil }
        return people.mask(of: picture, geometry: geometry, at: time)
    }

    private func draw(
        _ instances: [EffectInstance], at time: Double, on picture: inout MutablePicture, geometry: DisplayGeometry,
        mask: TileMask?
    ) throws(FlourishError) {
        for prepared in preparation.take() { renderer.adopt(prepared) }
        do {
            try renderer.draw(instances, at: time, on: &picture, geometry: geometry, mask: mask)
        } catch {
            throw FlourishError(.unavailable, "\(error)")
        }
    }

    private func instance(of effect: PlannedEffect) -> EffectInstance? {
        guard let description = library.descriptions[effect.reactionType.rawValue] else { return nil }
        // Each effect of a session looks different, and the same in every run.
        let seed = seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(truncatingIfNeeded: effect.seed)
        var instance = EffectInstance(
            description: description.thinned(to: effect.detail * detail), seed: seed,
            startTime: effect.startTime, endTime: effect.endTime,
            renewals: effect.renewals, originX: effect.origin.x, originY: effect.origin.y)
        instance.isCut = effect.isCut
        return instance
    }
}

/// Draws the sprites of effects ahead, on threads of its own.
///
/// Pictures do not depend on it: a sprite that is not ready in time is drawn when it is needed.
///
/// Used by one thread at a time.
final class EffectPreparation {
    /// The sprites that the threads have drawn.
    private final class Ready: Sendable {
        let sprites = Mutex<[PreparedSprites]>([])
    }

    /// A request that was made already.
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

    /// Returns the sprites that became ready since the last call, and removes them.
    func take() -> [PreparedSprites] {
        ready.sprites.withLock { sprites in
            defer { sprites.removeAll() }
            return sprites
        }
    }
}
