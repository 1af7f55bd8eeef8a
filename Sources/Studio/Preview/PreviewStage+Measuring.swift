import Effects
import MediaIO
import Pipeline
import Platform
import Raster

extension PreviewStage {
    /// Times the drawing of every frame: the best of three rounds. Each begins anew, as a session does: only
    /// what a session has ready before an effect starts is not counted.
    static func measure(_ preview: EffectPreview) throws -> EffectPreview.Measurement {
        var drawing: [Double] = [], copying: [Double] = []
        var stage = try PreviewStage(preview)
        for round in 0..<3 {
            if round > 0 { stage = try PreviewStage(preview) }
            let costs = try stage.costs()
            if round == 0 {
                drawing = costs.map(\.drawing)
                copying = costs.map(\.copy)
            } else {
                drawing = zip(drawing, costs).map { min($0, $1.drawing) }
                copying = zip(copying, costs).map { min($0, $1.copy) }
            }
        }
        let first = drawing.first ?? 0
        drawing.sort()
        let idle = try stage.idleCost()
        let (effect, backdrop) = (stage.effect, stage.backdrop.pictureFormat)
        func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }
        return EffectPreview.Measurement(
            reactionType: effect.reactionType, width: backdrop.width, height: backdrop.height,
            frames: drawing.count, meanMilliseconds: mean(drawing),
            medianMilliseconds: drawing.isEmpty ? 0 : drawing[drawing.count / 2],
            maximumMilliseconds: drawing.last ?? 0, firstMilliseconds: first, copyMilliseconds: mean(copying),
            idleCopies: idle.copies, idleLooks: idle.looks, idleMilliseconds: idle.milliseconds)
    }

    /// What each frame that shows the effect costs, in milliseconds.
    private func costs() throws -> [(copy: Double, drawing: Double)] {
        painter.prepare([effect.reactionType], for: backdrop, waits: true)
        return try (0..<frameCount).filter {
            let time = Double($0) / Double(preview.frameRate)
            return time >= effect.startTime && time < effect.endTime
        }.map { try millisecondsToDraw($0) }
    }

    private func millisecondsToDraw(_ index: Int) throws -> (copy: Double, drawing: Double) {
        var frame = try backdrop.shared()
        let time = Double(index) / Double(preview.frameRate)
        let copy = try ThreadClock.milliseconds { try frame.makeWritable(pool: pool) }
        let drawing = try ThreadClock.milliseconds {
            try painter.draw([effect], at: time, on: &frame, pool: pool)
        }
        return (copy, drawing)
    }

    /// Sends frames through planning and rendering while nothing is asked for.
    private func idleCost() throws -> (copies: Int, looks: Int, milliseconds: Double) {
        let frames = 300
        let configuration = Configuration()
        let engine = ReactionEngine(
            .init(
                catalog: catalog, configuration: configuration, resources: preview.resources ?? .located(), pool: pool))
        let (switches, requests) = (EngineSwitches(configuration), EngineRequests(style: catalog.style))
        let before = pool.counts
        var milliseconds = 0.0
        for index in 0..<frames {
            var frame = try backdrop.shared()
            frame.time = MediaTime(value: Int64(index), timeBase: Rational(1, Int32(preview.frameRate)))
            var item = PipelineFrame(frame: frame, id: index, time: frame.time.seconds)
            milliseconds += try ThreadClock.milliseconds {
                _ = try engine.process(&item, switches) { requests }
            }
        }
        return (
            pool.counts.copies - before.copies + pool.counts.allocations - before.allocations,
            engine.maskInferenceCount, milliseconds / Double(frames)
        )
    }
}
