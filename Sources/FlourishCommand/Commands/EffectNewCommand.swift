import ArgumentParser
import Flourish

/// The command `flourish effects new`. Writes a description that can be edited.
struct EffectNewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Write the description of an effect that shows a picture.",
        discussion: """
            The picture replaces the pieces of the effect that --like names. Its file is \
            copied beside the description. Edit the description as you like.

            EXAMPLES
              flourish effects new gold --sprite logo.png --like heart
              flourish effects new applause --sprite clap.svg --like thumbsUp --folder effects
              flourish preview gold gold.gif
            """)

    @Argument(help: "The new reaction's name.")
    var name: String

    @Option(
        help: ArgumentHelp("An SVG, PNG or WebP file.", valueName: "file"),
        completion: .file(extensions: ["svg", "png", "webp"]))
    var sprite: String

    @Option(
        help: ArgumentHelp("The built-in reaction whose pieces it replaces.", valueName: "type"),
        completion: .reactions)
    var like = ReactionType.heart.rawValue

    @Option(
        help: ArgumentHelp(
            "The folder of the description (default: ~/.config/flourish/effects).", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @Flag(name: [.customShort("y"), .long], help: "Overwrite existing files.")
    var overwrite = false

    func run() async throws {
        try await Console.reportingErrors {
            let file = try CustomEffect.make(
                name, sprite: sprite, like: ReactionType(rawValue: like), in: folder ?? EffectsCommand.usualFolder,
                overwrite: overwrite)
            StandardOutput.print(file)
        }
    }
}
