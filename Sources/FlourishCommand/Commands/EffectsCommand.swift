import ArgumentParser
import Flourish
import FlourishControl

/// The command `flourish effects`, which edits and makes files of custom effects. Without a subcommand, it opens the
/// editor.
struct EffectsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "effects",
        abstract: "Edit an effect in the browser, or make a custom one.",
        discussion: """
            EXAMPLES
              flourish effects --open
              flourish effects new gold --sprite logo.png --like heart
            """,
        subcommands: [EffectEditCommand.self, EffectNewCommand.self],
        defaultSubcommand: EffectEditCommand.self)
}

/// The folder of custom effects and of packs.
struct OwnEffectsFolder: ParsableArguments {
    @Option(
        help: ArgumentHelp("The folder of your effects (default: ~/.config/flourish/effects).", valueName: "folder"),
        completion: .directory)
    var folder: String?

    var path: String {
        folder ?? Resources.configurationFolder(environment: Resources.currentEnvironment()) + "/effects"
    }
}

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

    @OptionGroup var place: OwnEffectsFolder

    @Flag(name: [.customShort("y"), .long], help: "Overwrite existing files.")
    var overwrite = false

    func validate() throws {
        if (sprite == nil) == (text == nil) { throw ValidationError("Give either --sprite or --text") }
    }

    func run() async throws {
        // Pieces are many, so a plural is understood: hearts.
        let singular = ReactionType.builtIn.first { $0.rawValue + "s" == like }
        let (model, folder) = (singular ?? ReactionType(rawValue: like), place.path)
        let file =
            if let text {
                try CustomEffect.make(name, text: text, like: model, in: folder, overwrite: overwrite)
            } else {
                try CustomEffect.make(name, sprite: sprite ?? "", like: model, in: folder, overwrite: overwrite)
            }
        StandardOutput.print(file)
        for line in uses(of: file) { Console.error(line) }
    }

    /// Returns how the new effect is previewed, shown and edited.
    private func uses(of file: String) -> [String] {
        let options = place.folder.map { " --effects \($0)" } ?? ""
        let effect = place.folder == nil ? name : file
        return [
            "preview it with: flourish preview \(place.folder == nil ? "" : "--effect ")\(effect) \(name).gif",
            "show it with: flourish filter call.mp4 reacted.mp4\(options) --reaction \(name)@12",
            "let a gesture trigger it with: flourish filter call.mp4 reacted.mp4\(options) --bind victory=\(name)",
            "edit it with: flourish effects edit \(effect)",
        ]
    }
}

/// The command `flourish effects edit`. Serves the page on which effects are edited, until it is interrupted.
struct EffectEditCommand: AsyncParsableCommand, SandboxedCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Edit an effect in the browser, with a live preview.",
        discussion: """
            Serves a page to this machine only, and prints its address on the standard error. Nothing is written until you \
            save. A built-in effect is saved as a copy under a new name. Ctrl-C ends the editor.

            EXAMPLES
              flourish effects --open
              flourish effects edit confetti
              flourish effects edit bubbles.json
            """)

    @Argument(
        help: "An effect, or the path of a description (default: choose on the page).",
        completion: .file(extensions: ["json"]))
    var effect: String?

    @OptionGroup var page: PageOptions

    @OptionGroup var place: OwnEffectsFolder

    @OptionGroup(title: "Sandbox") var sandbox: SandboxOptions

    var needs: SandboxNeeds {
        var needs = SandboxNeeds()
        needs.fill(place.path)
        if let effect, EffectEditor.isPath(effect) { needs.write(effect) }
        needs.usesNetwork = true
        needs.startsPrograms = page.open
        return needs
    }

    func run() async throws {
        let address = try page.place()
        let editor = try EffectEditor(effect, folder: place.path, configuration: Configuration())
        let server = try await PageServer(address: address, editor: editor)
        await page.show("effect editor", server.url) { await editor.run() }
        await server.stop()
    }
}
