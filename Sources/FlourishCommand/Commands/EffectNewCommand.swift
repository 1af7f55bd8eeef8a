import ArgumentParser
import Flourish

/// The command `flourish effects new`. Writes a description that can be edited.
struct EffectNewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Write the description of an effect that shows a picture or a text.",
        discussion: """
            The picture or the text replaces the pieces of the effect that --like names. A \
            picture's file is copied beside the description. Edit the description as you like.

            EXAMPLES
              flourish effects new gold --sprite logo.png --like heart
              flourish effects new applause --sprite clap.svg --like thumbsUp --folder effects
              flourish effects new party --text 🎉 --like balloons
              flourish preview gold gold.gif
            """)

    @Argument(help: "The new reaction's name.")
    var name: String

    @Option(
        help: ArgumentHelp("An SVG, PNG, WebP or GIF file.", valueName: "file"),
        completion: .file(extensions: ["svg", "png", "webp", "gif"]))
    var sprite: String?

    @Option(help: ArgumentHelp("A text or an emoji, instead of a file.", valueName: "text"))
    var text: String?

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

    func validate() throws {
        if (sprite == nil) == (text == nil) { throw ValidationError("Give either --sprite or --text") }
    }

    func run() async throws {
        try await Console.reportingErrors {
            // Pieces are many, so a plural is understood: hearts.
            let singular = ReactionType.builtIn.first { $0.rawValue + "s" == like }
            let (model, folder) = (singular ?? ReactionType(rawValue: like), folder ?? EffectsCommand.usualFolder)
            let file =
                if let text {
                    try CustomEffect.make(name, text: text, like: model, in: folder, overwrite: overwrite)
                } else {
                    try CustomEffect.make(name, sprite: sprite ?? "", like: model, in: folder, overwrite: overwrite)
                }
            StandardOutput.print(file)
        }
    }
}
