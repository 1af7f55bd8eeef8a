/// Creates a configuration from the settings files of the machine and the user.
extension Configuration {
    /// Returns the configuration from this machine's and this user's settings files; the built-in defaults if there are
    /// none. See ``Settings`` for the origin of each value.
    ///
    /// ```swift
    /// let session = ReactionSession(configuration: try .load())
    /// ```
    ///
    /// - Throws: ``FlourishError/Code/usage`` for an invalid file, ``FlourishError/Code/inputUnavailable`` for a file
    ///   that cannot be read.
    public static func load(
        from places: SettingsPlaces = .located()
    ) throws(FlourishError) -> Configuration {
        try Settings.load(from: places).configuration()
    }
}
