extension Settings {
    /// Writes what the system's file locks into a configuration.
    var lockedWriter: @Sendable (inout Configuration) -> Void {
        let locked = entries.filter { $0.lockedBy != nil && $0.value != nil }
        return { configuration in
            // A value that cannot be written has been told of where the settings were made a configuration.
            for entry in locked { try? entry.key.write(entry.value, &configuration) }
        }
    }
}

extension Configuration {
    /// A plan's style where it heeds what the system's file locks: calm effects that are locked are calm for everybody,
    /// whatever plan somebody brings.
    func held(_ style: ReactionPlan.Style) -> ReactionPlan.Style {
        var style = style
        var look = Configuration()
        (look.style, look.seed) = (style.look, style.seed)
        writeLocked(&look)
        (style.look, style.seed) = (look.style, look.seed)
        return style
    }

    /// Takes over how a plan's reactions look, as far as nothing of it is locked.
    ///
    /// - Returns: the style that holds.
    mutating func take(_ style: ReactionPlan.Style) -> ReactionPlan.Style {
        let held = held(style)
        (self.style, seed) = (held.look, held.seed)
        return held
    }
}
