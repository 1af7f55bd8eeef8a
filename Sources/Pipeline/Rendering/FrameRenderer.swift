import MediaIO

/// Draws each frame by its plan, and knows nothing else of it.
///
/// A frame without a running effect stays untouched and uncopied.
///
/// Used by one thread at a time.
final class FrameRenderer {
    private var catalog: EffectCatalog
    private let painter: EffectPainter
    private let pool: FramePool
    /// Takes the effects without the picture under them, where that is wanted.
    private let overlay: OverlayCanvas?

    init(catalog: EffectCatalog, painter: EffectPainter, pool: FramePool, overlay: OverlayCanvas?) {
        self.catalog = catalog
        self.painter = painter
        self.pool = pool
        self.overlay = overlay
    }

    /// Draws what the frame's plan says, and adds to it what went wrong.
    /// - Throws: ``FlourishError`` where a sprite cannot be drawn, `MediaError` where there is no memory for a copy.
    func render(_ item: inout PipelineFrame) throws {
        follow(item.plan.look)
        if !item.plan.coming.isEmpty { painter.prepare(item.plan.coming, for: item.frame) }
        if let overlay { return try renderAlone(&item, on: overlay) }
        guard !item.plan.effects.isEmpty else { return }
        try painter.draw(item.plan.effects, at: item.time, on: &item.frame, pool: pool)
        for warning in painter.takeWarnings() { item.tell(warning) }
    }

    /// Puts the effects alone in the frame's place.
    private func renderAlone(_ item: inout PipelineFrame, on overlay: OverlayCanvas) throws {
        let drawn = try painter.drawAlone(item.plan.effects, at: item.time, before: item.frame, on: overlay)
        for warning in painter.takeWarnings() { item.tell(warning) }
        item.isEmpty = drawn == nil
        item.frame = if let drawn { drawn } else { try overlay.emptyPicture(like: item.frame) }
    }

    private func follow(_ look: EffectLook) {
        painter.detail = look.detail
        painter.maskStretch = look.maskStretch
        guard look.style != catalog.style else { return }
        catalog = catalog.styled(look.style)
        painter.setLibrary(of: catalog)
    }
}

extension PipelineFrame {
    /// Takes a plan over, with what of it concerns the encoder.
    mutating func follow(_ plan: FramePlan) {
        self.plan = plan
        if !plan.effects.isEmpty { frame.regions = plan.regions }
        if let least = plan.leastDuration, let duration = frame.duration, duration.seconds < least {
            frame.duration = MediaTime(seconds: least)
        }
    }
}
