import MediaIO

extension Settings {
    /// Chooses VP9 for a container that takes no H.264, which is the usual codec, unless an option or a file says
    /// which codec it is to be.
    ///
    /// - Parameters:
    ///   - output: the path of the video that is to be written.
    ///   - format: the name of its container, where that does not follow from the path.
    package mutating func chooseCodec(for output: String, format: String? = nil) {
        let name = "encoding.codec"
        guard let index = index(of: name), entries[index].origin.place == .builtIn else { return }
        let container =
            if let format {
                ContainerFormat(name: format)
            } else {
                MediaAddress(output).filePath.flatMap(ContainerFormat.init(path:))
            }
        guard container?.takesH264 == false else { return }
        // Where the codec is locked nobody may choose another: nobody does.
        put(
            .text(EncodingOptions.Codec.vp9.rawValue), at: index,
            from: SettingOrigin(place: .option, name: entries[index].key.option ?? name))
        followsContainer = true
    }

    /// Whether somebody said which codec it is to be.
    var namesCodec: Bool {
        guard let codec = self["encoding.codec"], !followsContainer else { return false }
        return codec.origin.place != .builtIn
    }
}
