package import MediaIO

extension TransparentCoding {
    /// How an overlay is coded in a container.
    ///
    /// - Throws: `MediaError` of the code `unsupportedInContainer` where it holds no transparency.
    package init(for path: String, in container: ContainerFormat) throws(MediaError) {
        guard let coding = TransparentCoding(container) else {
            throw MediaError(
                .unsupportedInContainer, file: path,
                "\(path): \(container.displayName) holds no transparency; write an overlay to \(Self.outputs)")
        }
        self = coding
    }

    /// The error for an output whose name does not say how it is coded.
    package static func unknown(_ path: String) -> MediaError {
        MediaError(.unknownOutputFormat, file: path, "\(path): is no overlay's name; write an overlay to \(outputs)")
    }

    private static let outputs =
        ".webm (VP9), .mov (ProRes 4444), .mkv (FFV1), effects-%05d.png, or as NUT or raw video into a pipe"
}
