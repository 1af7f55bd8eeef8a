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
        guard Self.container(of: output, format: format)?.takesH264 == false else { return }
        // Where the codec is locked nobody may choose another: nobody does.
        put(
            .text(EncodingOptions.Codec.vp9.rawValue), at: index,
            from: SettingOrigin(place: .option, name: entries[index].key.option ?? name))
        followsContainer = true
    }

    /// The container that holds an output's pictures as they are, as people call it; `nil` where they are coded.
    ///
    /// - Parameters: as in ``chooseCodec(for:format:)``.
    package static func uncompressedContainer(of output: String, format: String? = nil) -> String? {
        guard let container = container(of: output, format: format), container.isUncompressed else { return nil }
        return container.displayName
    }

    private static func container(of output: String, format: String?) -> ContainerFormat? {
        guard let format else { return .chosen(for: output) }
        return ContainerFormat(name: format).flatMap { .chosen(for: output, format: $0) }
    }

    /// Whether somebody said which codec it is to be.
    var namesCodec: Bool {
        guard let codec = self["encoding.codec"], !followsContainer else { return false }
        return codec.origin.place != .builtIn
    }
}
