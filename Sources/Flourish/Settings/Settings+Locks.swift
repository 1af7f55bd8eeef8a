extension Settings {
    /// What the system's file locks.
    var locks: SettingLocks {
        var locks = SettingLocks()
        for entry in entries { locks.files[entry.key.name] = entry.lockedBy }
        let locked = entries.filter { $0.lockedBy != nil && $0.value != nil }
        locks.write = { configuration in
            // A value that cannot be written has been told of where the settings were made a configuration.
            for entry in locked { try? entry.key.write(entry.value, &configuration) }
        }
        return locks
    }
}

extension Configuration {
    /// A plan's style where it heeds what the system's file locks: calm effects that are locked are calm for everybody,
    /// whatever plan somebody brings.
    func held(_ style: ReactionPlan.Style) -> ReactionPlan.Style {
        var style = style
        var look = Configuration()
        (look.style, look.seed) = (style.look, style.seed)
        locks.write(&look)
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
