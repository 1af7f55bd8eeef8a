package import MediaIO

/// Draws each frame by its plan, and knows nothing else of it.
///
/// A frame without a running effect stays untouched and uncopied.
///
/// Used by one thread at a time.
package final class FrameRenderer {
    private var catalog: EffectCatalog
    private let painter: EffectPainter
    private let pool: FramePool

    package init(catalog: EffectCatalog, painter: EffectPainter, pool: FramePool) {
        self.catalog = catalog
        self.painter = painter
        self.pool = pool
    }

    /// Draws what the frame's plan says, and adds to it what went wrong.
    /// - Throws: ``FlourishError`` where a sprite cannot be drawn, `MediaError` where there is no memory for a copy.
    package func render(_ item: inout PipelineFrame) throws {
        follow(item.plan.look)
        if !item.plan.coming.isEmpty { painter.prepare(item.plan.coming, for: item.frame) }
        guard !item.plan.effects.isEmpty else { return }
        try painter.draw(item.plan.effects, at: item.time, on: &item.frame, pool: pool)
        for warning in painter.takeWarnings() { item.tell(warning) }
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
    package mutating func follow(_ plan: FramePlan) {
        self.plan = plan
        if !plan.effects.isEmpty { frame.regions = plan.regions }
        if let least = plan.leastDuration, let duration = frame.duration, duration.seconds < least {
            frame.duration = MediaTime(seconds: least)
        }
    }
}
