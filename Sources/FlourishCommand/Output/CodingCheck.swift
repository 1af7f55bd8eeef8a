import Flourish

/// Refuses options that would do nothing: those that say how pictures are coded, where an output holds them as they are.
enum CodingCheck {
    /// Options of the encoder that mean something to such an output, too.
    private static let exceptions: Set = ["--pixel-format", "--smart-render"]

    /// - Parameters:
    ///   - given: options of the encoder, and whether each was given.
    ///   - format: the name of the output's container, where that does not follow from its path.
    static func check(_ given: [(String, Bool)], for output: String, format: String? = nil) throws(FlourishError) {
        guard let container = Settings.uncompressedContainer(of: output, format: format),
            let option = given.first(where: { $0.1 && !exceptions.contains($0.0) })?.0
        else { return }
        throw FlourishError(
            .usage, "\(output): \(container) holds pictures as they are, not coded; leave \(option) out")
    }
}
