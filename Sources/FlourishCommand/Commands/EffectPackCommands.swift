import ArgumentParser
import Flourish
import FoundationEssentials

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
