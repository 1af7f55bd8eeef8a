import ArgumentParser
import Flourish
import FlourishControl
import FoundationEssentials
import Platform

/// The command `flourish effects`, which makes and edits files of custom effects, and installs packs of them. Without a
/// subcommand, it opens the editor.
struct EffectsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "effects",
        abstract: "Edit an effect in the browser, make a custom one, or install a pack of effects.",
        discussion: """
            EXAMPLES
              flourish effects --open
              flourish effects new gold --sprite logo.png --like heart
              flourish effects install seasonal
            """,
        subcommands: [EffectEditCommand.self, EffectNewCommand.self, Install.self, List.self, Remove.self],
        defaultSubcommand: EffectEditCommand.self,
        aliases: ["effect"])

    /// The folder of this user's effects.
    static var usualFolder: String {
        Resources.configurationFolder(environment: Resources.currentEnvironment()) + "/effects"
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

    @Option(
        help: ArgumentHelp("The folder of your effects (default: ~/.config/flourish/effects).", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @OptionGroup(title: "Sandbox") var sandbox: SandboxOptions

    var needs: SandboxNeeds {
        var needs = SandboxNeeds()
        needs.fill(folder ?? EffectsCommand.usualFolder)
        if let effect, EffectEditor.isPath(effect) { needs.write(effect) }
        needs.usesNetwork = true
        needs.startsPrograms = page.open
        return needs
    }

    func run() async throws {
        try await Console.reportingErrors {
            let place = try page.place()
            let editor = try EffectEditor(
                effect, folder: folder ?? EffectsCommand.usualFolder, configuration: Configuration())
            let server = try await PageServer(address: place, editor: editor)
            await page.show("effect editor", server.url) { await editor.run() }
            await server.stop()
        }
    }
}

/// The commands for packs of effects.
extension EffectsCommand {
    /// The command `flourish effects install`.
    struct Install: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "install",
            abstract: "Install a pack of effects.",
            discussion: """
                All files of the pack are checked before. If one of them cannot be used, or an effect \
                has the name of another one, nothing is installed.

                EXAMPLES
                  flourish effects install seasonal
                  flourish effects install winter.zip
                  flourish effects install ./my-pack --overwrite
                """)

        @Argument(
            help: "A folder, a zip archive, or the name of a pack that comes with Flourish.", completion: .file())
        var pack: String

        @OptionGroup var place: PackFolderOptions

        @Flag(name: [.customShort("y"), .long], help: "Replace an installed pack of the same name.")
        var overwrite = false

        func run() async throws {
            try await Console.reportingErrors {
                let installed = try EffectPack.install(pack, in: place.path, overwrite: overwrite)
                let names = installed.effects.map(\.rawValue).joined(separator: ", ")
                StandardOutput.print("\(installed.name): \(names)")
            }
        }
    }

    /// The command `flourish effects list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the installed packs of effects, and those that come with Flourish.",
            discussion: """
                EXAMPLES
                  flourish effects list
                  flourish effects list --json
                """)

        @Flag(help: "Print JSON: an array with one object for each pack.")
        var json = false

        @OptionGroup var place: PackFolderOptions

        private struct Row: Encodable {
            var name: String
            var isInstalled: Bool
            var version: String?
            var about: String?
            var author: String?
            var licence: String?
            var effects: [ReactionType]
            var folder: String

            init(_ pack: EffectPack, isInstalled: Bool) {
                name = pack.name
                self.isInstalled = isInstalled
                (version, about, author, licence) = (pack.version, pack.about, pack.author, pack.licence)
                (effects, folder) = (pack.effects, pack.folder)
            }
        }

        func run() async throws {
            try await Console.reportingErrors {
                let installed = try EffectPack.installed(in: place.path)
                let others = try EffectPack.included().filter { pack in
                    !installed.contains { $0.name == pack.name }
                }
                let rows =
                    installed.map { Row($0, isInstalled: true) } + others.map { Row($0, isInstalled: false) }
                if json {
                    let encoder = JSONEncoder()
                    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
                    StandardOutput.print(String(decoding: try encoder.encode(rows), as: UTF8.self))
                } else {
                    show(rows)
                }
            }
        }

        private func show(_ rows: [Row]) {
            let cells = rows.map { row in
                [
                    row.name, row.isInstalled ? "yes" : "no", row.version ?? "-",
                    row.effects.map(\.rawValue).joined(separator: ", "),
                ]
            }
            let lines = [["PACK", "INSTALLED", "VERSION", "EFFECTS"]] + cells
            let widths = (0..<3).map { column in (lines.map { $0[column].count }.max() ?? 0) + 2 }
            for line in lines {
                let padded = widths.indices.map { column in
                    line[column] + String(repeating: " ", count: widths[column] - line[column].count)
                }
                StandardOutput.print(padded.joined() + line[3])
            }
        }
    }

    /// The command `flourish effects remove`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove an installed pack of effects.",
            discussion: """
                EXAMPLES
                  flourish effects remove seasonal
                """)

        @Argument(help: "The name of the pack (see: flourish effects list).", completion: .effectPacks)
        var name: String

        @OptionGroup var place: PackFolderOptions

        func run() async throws {
            try await Console.reportingErrors {
                try EffectPack.remove(name, from: place.path)
            }
        }
    }
}

/// The option that names the folder of packs.
struct PackFolderOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The folder of the packs (default: ~/.config/flourish/effects).", valueName: "folder"),
        completion: .directory)
    var folder: String?

    var path: String { folder ?? EffectsCommand.usualFolder }
}
