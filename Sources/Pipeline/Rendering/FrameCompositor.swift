package import Effects
package import MediaIO
import Platform
package import Raster
package import Reactions
import Synchronization

/// Draws planned effects on frames. It owns the sprites, the segmentation of people, and a compositor for each tile
/// with effects. ``ReactionEngine`` and previews use it.
///
/// Used by one thread at a time.
package final class FrameCompositor {
    private var library: EffectLibrary
    private let renderer: ParticleRenderer
    private var pen = HoldRingPen()
    private var isCalm = false
    /// Weakens effects that flash too often; `nil` if they may flash. Compositors of tiles have none.
    private var flashes: FlashGuard?
    private let seed: UInt64
    private let people: PeopleFinder
    private let preparation: EffectPreparation
    /// The last call of ``prepare(_:in:for:)``, which nearly every frame of a live run repeats.
    private var prepared: Prepared?
    private let resources: Resources
    private let rasterizer: SpriteRasterizer
    /// Draws the effects on the whole video; `nil` before the first frame with one.
    private var painter: VideoEffectPainter?
    private lazy var cutter = PeopleCutter()
    /// The file of the background, which all tiles share.
    private let backgrounds: BackgroundFiles
    /// The parts of a tile that lie in front of effects; only compositors of tiles have any.
    private var foreground = TileForeground()
    /// The compositors of tiles, by their numbers.
    private var stages: [Int: FrameCompositor] = [:]
    /// The inferences and warnings of compositors that have been released.
    private var released: (count: Int, warnings: [PipelineWarning]) = (0, [])
    /// The models that the compositors of tiles share.
    private lazy var shared = resources.shared ?? SharedResources()

    /// - Parameters:
    ///   - seed: the seed of all random choices.
    ///   - resources: the location of the models for segmenting people.
    ///   - limitsFlashes: whether effects that flash too often are weakened. The frames must then be successive.
    ///   - onTwoThreads: whether a second thread draws part of each picture, if there is more than one core. The
    ///     processor time is the same, but the picture is complete earlier.
    package convenience init(
        catalog: EffectCatalog, seed: UInt64, resources: Resources, onTwoThreads: Bool = false,
        limitsFlashes: Bool = false
    ) {
        let rasterizer: SpriteRasterizer = { [drawings = resources.shared?.drawings] svg, width, height in
            try drawings?.drawing(of: svg, width: width, height: height)
                ?? RGBAImage.sprite(svg, width: width, height: height)
        }
        let helper = onTwoThreads && Machine.cores > 1 ? HelperThread() : nil
        self.init(
            library: catalog.library, seed: seed, resources: resources, rasterizer: rasterizer,
            renderer: ParticleRenderer(library: catalog.library, rasterizer: rasterizer, helper: helper),
            backgrounds: BackgroundFiles())
        isCalm = catalog.style.isCalm
        flashes = limitsFlashes ? FlashGuard() : nil
    }

    private init(
        library: EffectLibrary, seed: UInt64, resources: Resources, rasterizer: @escaping SpriteRasterizer,
        renderer: ParticleRenderer, backgrounds: BackgroundFiles
    ) {
        (self.library, self.seed, self.backgrounds) = (library, seed, backgrounds)
        (self.resources, self.rasterizer, self.renderer) = (resources, rasterizer, renderer)
        preparation = EffectPreparation(rasterizer: rasterizer)
        people = PeopleFinder(resources: resources)
    }

    /// The share of each effect's pieces that is drawn, 0…1. It is multiplied by the effect's own share.
    package var detail = 1.0

    /// Draws the same effects in another style from now on. Sprites of earlier styles are kept while there is room.
    func setLibrary(of catalog: EffectCatalog) {
        (library, isCalm) = (catalog.library, catalog.style.isCalm)
        prepared = nil
        preparation.reset()
    }

    /// The factor by which the interval between segmentations of people is longer than usual, 1…2.
    var maskIntervalScale: Double {
        get { people.intervalScale }
        set { people.intervalScale = newValue }
    }

    /// The number of pictures in which people were segmented.
    package var inferenceCount: Int {
        stages.values.reduce(people.inferenceCount + released.count) { $0 + $1.inferenceCount }
    }

    /// Returns the warnings since the last call, and removes them.
    package func takeWarnings() -> [PipelineWarning] {
        defer { released.warnings = [] }
        return stages.sorted { $0.key < $1.key }
            .reduce(
                people.takeWarnings() + (painter?.takeWarnings() ?? []) + (flashes?.takeWarnings() ?? [])
                    + released.warnings
            ) { $0 + $1.value.takeWarnings() }
    }

    /// The arguments of a call of ``prepare(_:in:for:)``.
    private struct Prepared: Hashable {
        var types: [ReactionType]
        var tiles: [LayoutTile]
        var geometry: DisplayGeometry
        var format: PictureFormat
    }

    /// Draws the sprites of effects in advance and loads the segmentation model, on separate threads. Doing this in the
    /// first frame that needs them would take too long. Pictures do not depend on it.
    ///
    /// - Parameter tiles: The tiles of a gallery, in which the effects may start; none for a single picture.
    package func prepare(_ types: [ReactionType], in tiles: [LayoutTile] = [], for frame: borrowing VideoFrame) {
        for sprites in preparation.take() { renderer.adopt(sprites) }
        let wanted = Prepared(types: types, tiles: tiles, geometry: frame.geometry, format: frame.pictureFormat)
        guard wanted != prepared else { return }
        prepared = wanted
        guard !tiles.isEmpty else { return prepare(types, for: wanted.geometry, wanted.format, waits: false) }
        // Tiles of one height have the same sprites.
        var heights: Set<Double> = []
        for tile in tiles {
            let geometry = frame.geometry(of: tile.region(of: frame))
            guard heights.insert(geometry.uprightHeight).inserted else { continue }
            prepareSprites(types, for: geometry, wanted.format)
            if needsMask(types) { people.preload(for: geometry, into: tileResources) }
        }
    }

    /// Prepares for single pictures like a frame.
    package func prepare(_ types: [ReactionType], for frame: borrowing VideoFrame, waits: Bool) {
        prepare(types, for: frame.geometry, frame.pictureFormat, waits: waits)
    }

    /// Prepares the sprites and the model before the first frame is available.
    ///
    /// - Parameter waits: whether to return only when everything is complete.
    package func prepare(
        _ types: [ReactionType], for geometry: DisplayGeometry, _ format: PictureFormat, waits: Bool
    ) {
        prepareSprites(types, for: geometry, format, waits: waits)
        if needsMask(types) { people.prepare(for: geometry, waits: waits) }
    }

    private func prepareSprites(
        _ types: [ReactionType], for geometry: DisplayGeometry, _ format: PictureFormat, waits: Bool = false
    ) {
        let descriptions = types.compactMap { library.descriptions[$0.rawValue] }
        preparation.begin(descriptions, library: library, geometry: geometry, format: format, waits: waits)
    }

    private func needsMask(_ types: [ReactionType]) -> Bool {
        types.contains { library.descriptions[$0.rawValue]?.needsMask == true }
    }

    /// Releases what only effects in progress need. Called with a frame without effects.
    func rest() {
        guard !stages.isEmpty || painter != nil else { return }
        releaseStages { _ in false }
        endVideoEffects()
    }

    /// Draws the effects at a time. People are segmented only while an effect may be behind them.
    ///
    /// The frame is copied first if its pixels are shared. Without a visible effect, it is neither changed nor copied.
    ///
    /// - Parameters:
    ///   - rings: the rings of the gesture that is being held, drawn over everything.
    ///   - time: the frame's time stamp in seconds.
    ///   - pool: the pool that provides the copy.
    /// - Throws: ``FlourishError`` if a sprite cannot be drawn, `MediaError` if there is no memory.
    package func draw(
        _ effects: [PlannedEffect], rings: [HoldRing] = [], video: PlannedVideoEffects = PlannedVideoEffects(),
        at time: Double, on frame: inout VideoFrame, pool: FramePool
    ) throws {
        try draw(video, at: time, on: &frame, pool: pool)
        func paint(_ frame: inout VideoFrame) throws {
            for tile in Self.tiles(effects) {
                guard let part = try part(effects, in: tile, at: time, of: frame) else { continue }
                try frame.withMutablePicture(pool: pool) { try draw(part, at: time, on: &$0) }
            }
        }
        if effects.isEmpty || flashes == nil {
            try paint(&frame)
        } else {
            try flashes?.draw(effects, at: time, on: &frame, pool: pool, paint)
        }
        releaseStages { tile in effects.contains { $0.tile?.id == tile } || video.tiles.contains { $0.id == tile } }
        guard !rings.isEmpty else { return }
        let geometry = frame.geometry
        try frame.withMutablePicture(pool: pool) { pen.draw(rings, on: &$0, geometry: geometry, isCalm: isCalm) }
    }

    /// Draws the effects on the whole video, before all reactions: in each tile for itself, because people of different
    /// tiles have different sizes.
    private func draw(
        _ video: PlannedVideoEffects, at time: Double, on frame: inout VideoFrame, pool: FramePool
    ) throws {
        if video.isOff || !video.tiles.isEmpty { endVideoEffects() }
        for (id, stage) in stages where video.isOff || !video.tiles.contains(where: { $0.id == id }) {
            stage.endVideoEffects()
        }
        guard !video.isOff, frame.hasPicture else { return }
        guard !video.tiles.isEmpty else {
            let geometry = frame.geometry
            let hands = video.hands.filter { $0.tile == nil }
            return try frame.withMutablePicture(pool: pool) {
                try draw(video.effects, hands: hands, at: time, on: &$0, geometry: geometry)
            }
        }
        for tile in video.tiles {
            let region = tile.region(of: frame)
            let stage = stage(of: tile), geometry = frame.geometry(of: region)
            let hands = video.hands.filter { $0.tile == tile.id }
            try stage.foreground.update(frame, region, at: time)
            try frame.withMutablePicture(pool: pool) { picture in
                try picture.withRegion(columns: region.columns, rows: region.rows) { picture in
                    try picture.keeping(stage.foreground.regions) { picture in
                        try stage.draw(video.effects, hands: hands, at: time, on: &picture, geometry: geometry)
                    }
                }
            }
        }
    }

    private func endVideoEffects() {
        guard let painter else { return }
        released.warnings += painter.takeWarnings()
        (self.painter, people.isPrecise) = (nil, false)
    }

    /// Draws the effects on the whole video on a picture or a tile.
    private func draw(
        _ effects: VideoEffects, hands: [SeenHand], at time: Double, on picture: inout MutablePicture,
        geometry: DisplayGeometry
    ) throws {
        try painterOfVideo().draw(effects, hands: hands, at: time, on: &picture, geometry: geometry)
    }

    private func painterOfVideo() -> VideoEffectPainter {
        let painter = painter ?? VideoEffectPainter(people: people, resources: resources, backgrounds: backgrounds)
        self.painter = painter
        return painter
    }

    /// Releases the compositors of tiles without effects, so that memory does not grow with the number of tiles.
    private func releaseStages(unless isUsed: (_ tile: Int) -> Bool) {
        for (id, stage) in stages where !isUsed(id) {
            released.count += stage.inferenceCount
            released.warnings += stage.takeWarnings()
            stages[id] = nil
        }
    }

    /// The tiles with effects. The whole picture, `nil`, is last, so that its effects are drawn over the effects of
    /// tiles.
    static func tiles(_ effects: [PlannedEffect]) -> [LayoutTile?] {
        var tiles: [LayoutTile?] = []
        for effect in effects where !tiles.contains(effect.tile) { tiles.append(effect.tile) }
        return tiles.sorted { ($0?.id ?? .max) < ($1?.id ?? .max) }
    }

    /// The resources of tiles. Models are loaded once for all tiles.
    private var tileResources: Resources {
        var resources = resources
        resources.shared = shared
        return resources
    }

    /// Returns the compositor of a tile.
    private func stage(of tile: LayoutTile) -> FrameCompositor {
        let stage =
            stages[tile.id]
            ?? FrameCompositor(
                library: library, seed: seed, resources: tileResources, rasterizer: rasterizer,
                renderer: ParticleRenderer(sharingSpritesOf: renderer), backgrounds: backgrounds)
        stages[tile.id] = stage
        (stage.library, stage.maskIntervalScale) = (library, maskIntervalScale)
        return stage
    }

    /// Draws the effects at a time without the picture beneath them, or with the people of it alone if the background is
    /// transparent. Effects behind people are masked by the people in the frame, which is not changed.
    ///
    /// - Returns: `nil` if nothing is visible.
    /// - Throws: as ``draw(_:at:on:pool:)``.
    func drawAlone(
        _ effects: [PlannedEffect], rings: [HoldRing] = [], video: PlannedVideoEffects = PlannedVideoEffects(),
        at time: Double, before frame: borrowing VideoFrame, on canvas: OverlayCanvas
    ) throws -> VideoFrame? {
        let cutout = try cutout(video, at: time, of: frame)
        var parts: [Part] = []
        for tile in Self.tiles(effects) {
            if let part = try part(effects, in: tile, at: time, of: frame) { parts.append(part) }
        }
        if parts.isEmpty, rings.isEmpty, cutout == nil { return nil }
        let geometry = frame.geometry
        return try canvas.picture(like: frame, before: { try cutout?.draw(on: &$0) }) { picture in
            for part in parts { try draw(part, at: time, on: &picture) }
            pen.draw(rings, on: &picture, geometry: geometry, isCalm: isCalm)
        } limit: { black, white in
            try flashes?.limit(effects, at: time, black: &black, white: &white)
        }
    }

    /// Returns the people in a frame for a transparent background; `nil` if the background is another one.
    private func cutout(
        _ video: PlannedVideoEffects, at time: Double, of frame: borrowing VideoFrame
    ) throws -> PeopleCutter.Cutout? {
        guard video.effects.background == .transparent, frame.hasPicture else {
            endVideoEffects()
            return nil
        }
        let geometry = frame.geometry
        let parts = video.tiles.map { tile in
            let region = tile.region(of: frame)
            return (id: tile.id as Int?, region: region, geometry: frame.geometry(of: region), stage: stage(of: tile))
        }
        return try cutter.cutout(of: frame, tiles: parts.map(\.region)) { picture, region in
            let part = parts.first { $0.region == region }
            let painter = (part?.stage ?? self).painterOfVideo()
            return painter.preparePeople(
                video.effects, hands: video.hands.filter { $0.tile == part?.id }, at: time, of: &picture,
                geometry: part?.geometry ?? geometry
            ).map { (painter, $0) }
        }
    }

    /// The visible effects of a tile or of the whole picture, and the people who may be in front of them.
    private struct Part {
        let stage: FrameCompositor
        let instances: [EffectInstance]
        let region: PictureRegion?
        /// The parts of the region that lie in front of the effects.
        let foreground: [KeptRegion]
        let geometry: DisplayGeometry
        let mask: BandMask?
    }

    /// Returns the visible effects of a tile, or of the whole picture; `nil` if there are none.
    ///
    /// In a tile, people and sprites have different sizes, so each tile has a separate compositor.
    private func part(
        _ effects: [PlannedEffect], in tile: LayoutTile?, at time: Double, of frame: borrowing VideoFrame
    ) throws -> Part? {
        let instances = visible(effects.filter { $0.tile == tile }, at: time)
        if instances.isEmpty { return nil }
        for sprites in preparation.take() { renderer.adopt(sprites) }
        let stage = tile.map(stage) ?? self
        let region = tile?.region(of: frame)
        let geometry = region.map { frame.geometry(of: $0) } ?? frame.geometry
        var mask: BandMask?
        if frame.hasPicture {
            let shown = if let region { try frame.region(region) } else { try frame.shared() }
            mask = shown.withPicture { stage.mask(of: $0, for: instances, geometry: geometry, at: time) }
        }
        if let region { try stage.foreground.update(frame, region, at: time) }
        return Part(
            stage: stage, instances: instances, region: region, foreground: stage.foreground.regions,
            geometry: geometry,
            mask: mask)
    }

    private func draw(_ part: Part, at time: Double, on picture: inout MutablePicture) throws(FlourishError) {
        guard let region = part.region else {
            return try draw(part.instances, at: time, on: &picture, geometry: part.geometry, mask: part.mask)
        }
        try picture.withRegion(columns: region.columns, rows: region.rows) { picture throws(FlourishError) in
            try picture.keeping(part.foreground) { picture throws(FlourishError) in
                try part.stage.draw(part.instances, at: time, on: &picture, geometry: part.geometry, mask: part.mask)
            }
        }
    }

    private func visible(_ effects: [PlannedEffect], at time: Double) -> [EffectInstance] {
        effects.compactMap(instance).filter { $0.isVisible(at: time) }
    }

    private func draw(
        _ instances: [EffectInstance], at time: Double, on picture: inout MutablePicture, geometry: DisplayGeometry,
        mask: BandMask?
    ) throws(FlourishError) {
        do {
            try renderer.draw(instances, at: time, on: &picture, geometry: geometry, mask: mask)
        } catch {
            throw FlourishError(.unavailable, "\(error)")
        }
    }

    /// Returns the effect in the form that the renderer draws; `nil` if its type has no description.
    private func instance(of effect: PlannedEffect) -> EffectInstance? {
        guard let description = library.descriptions[effect.reactionType.rawValue] else { return nil }
        // Each effect of a session has a different appearance, but the same one in every run.
        let origin = effect.tile?.placeInTile(effect.origin) ?? effect.placeInCrop ?? effect.origin
        let seed = seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(truncatingIfNeeded: effect.seed)
        var instance = EffectInstance(
            description: description.thinned(to: effect.detail * detail), seed: seed,
            startTime: effect.startTime, endTime: effect.endTime,
            renewals: effect.renewals, originX: origin.x, originY: origin.y)
        instance.isCut = effect.isCut
        instance.heads = effect.heads
        return instance
    }
}

extension FrameCompositor {
    /// Returns the mask of the people in a picture, if something may be behind them.
    private func mask(
        of picture: borrowing Picture, for instances: [EffectInstance], geometry: DisplayGeometry, at time: Double
    ) -> BandMask? {
        guard instances.contains(where: \.description.needsMask) else { return nil }
        // Effects on the whole video have found the people already, in the picture as it was taken.
        if let painter { return painter.mask }
        return people.mask(of: picture, geometry: geometry, at: time)
    }
}
