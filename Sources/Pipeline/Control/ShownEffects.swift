/// The effects of the newest frame, for pages that draw them elsewhere than on the frame.
package struct ShownEffects: Sendable {
    /// The effects in progress, sorted by their start.
    package var effects: [PlannedEffect]
    package var appearance: EffectAppearance
    /// The frame's time stamp in seconds.
    package var time: Double
    /// The instant at which the frame was planned.
    package var instant = ContinuousClock.now

    /// - Returns: `nil` for a frame without effects.
    package init?(_ plan: FramePlan) {
        if plan.effects.isEmpty { return nil }
        (effects, appearance, time) = (plan.effects, plan.appearance, plan.time)
    }
}
