import MediaIO

extension Settings {
    /// Chooses VP9 for a container that takes no H.264, which is the usual codec, unless an option or a file says
    /// which codec it is to be.
    ///
    /// - Parameters:
    ///   - output: the path of the video that is to be written.
    ///   - format: the name of its container, where that does not follow from the path.
    package mutating func chooseCodec(for output: String, format: String? = nil) throws(FlourishError) {
        guard let codec = self["encoding.codec"], codec.origin.place == .builtIn, codec.lockedBy == nil else { return }
        let container =
            if let format {
                ContainerFormat(name: format)
            } else {
                MediaAddress(output).filePath.flatMap(ContainerFormat.init(path:))
            }
        guard container?.takesH264 == false else { return }
        try set("encoding.codec", to: .text(EncodingOptions.Codec.vp9.rawValue))
        followsContainer = true
    }

    /// Whether somebody said which codec it is to be.
    var namesCodec: Bool {
        guard let codec = self["encoding.codec"], !followsContainer else { return false }
        return codec.origin.place != .builtIn || codec.lockedBy != nil
    }
}
