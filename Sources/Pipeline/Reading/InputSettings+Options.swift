package import MediaIO

extension InputSettings {
    /// The settings for what the configuration asks for.
    ///
    /// - Parameter stalled: called where a pipe or the network gives nothing for a while.
    package init(_ configuration: Configuration, address: String, stalled: (@Sendable () -> Void)? = nil) {
        self.init()
        let options = configuration.input
        isLowDelay = configuration.isLive
        format = options.format
        maxPixels = options.maxPixels
        videoSize = options.videoSize
        pixelFormat = options.pixelFormat
        frameRate = options.frameRate
        stretch = options.stretch
        // Who waits to see it waits for no sound that lies far from its picture.
        if configuration.isPreview { stretch?.preroll = 0.1 }
        // A pipe's writer may take its time: it has not gone as long as the pipe is open.
        if let stalled { stall = StallWarning(after: options.stallAfter, tell: stalled) }
        if case .network = MediaAddress(address) { timeout = options.timeout }
    }
}

extension ContainerFormat {
    /// The output's container: what the configuration names, or else what the path says.
    package static func chosen(_ configuration: Configuration, path: String) throws(MediaError) -> ContainerFormat {
        let format = try ContainerFormat(configuration, path: path)
        guard let container = ContainerFormat.chosen(for: path, format: format) else {
            throw ContainerFormat.unknown(path)
        }
        return container
    }

    /// The output's container by name; `nil` where it is to follow from the path.
    package init?(_ configuration: Configuration, path: String) throws(MediaError) {
        guard let name = configuration.outputFormat else { return nil }
        guard let format = ContainerFormat(name: name) else {
            throw MediaError(
                .invalidSettings, file: path,
                "\(path): there is no output format \(name); there are \(ContainerFormat.names.joined(separator: ", "))"
            )
        }
        self = format
    }
}
