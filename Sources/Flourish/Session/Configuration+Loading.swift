extension Configuration {
    /// The configuration that this machine's and this user's files ask for; what is built in
    /// where there are none. See ``Settings`` for where each value comes from.
    ///
    /// ```swift
    /// let session = ReactionSession(configuration: try .load())
    /// ```
    ///
    /// - Throws: ``FlourishError/Code/usage`` for a file that makes no sense,
    ///   ``FlourishError/Code/inputUnavailable`` for one that cannot be read.
    public static func load(
        from places: SettingsPlaces = .located()
    ) throws(FlourishError) -> Configuration {
        try Settings.load(from: places).configuration()
    }
}
