extension Settings {
    /// Has a plan's style heed what the system's file locks, whatever the plan says: calm effects that are locked are calm
    /// for everybody.
    ///
    /// - Throws: ``FlourishError`` for a palette that cannot be read.
    public func holdLocks(on style: inout ReactionPlan.Style) throws(FlourishError) {
        var configuration = Configuration()
        (configuration.style, configuration.seed) = (style.look, style.seed)
        for entry in entries where entry.lockedBy != nil && entry.value != nil {
            try entry.key.write(entry.value, &configuration)
        }
        (style.look, style.seed) = (configuration.style, configuration.seed)
    }
}
