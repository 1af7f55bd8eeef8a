import ArgumentParser
import Flourish

/// The command `flourish packs`. Lists, installs or removes packs of effects.
struct PacksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "packs",
        abstract: "List, install or remove packs of effects.",
        discussion: """
            Lists the installed packs, and those that come with Flourish. Before a pack is installed, all of its files are \
            checked. If one of them cannot be used, or an effect has the name of another one, nothing is installed.

            EXAMPLES
              flourish packs
              flourish packs --install seasonal
              flourish packs --install winter.zip
              flourish packs --install ./my-pack --overwrite
              flourish packs --remove seasonal
            """)

    @Option(
        help: ArgumentHelp(
            "Install a pack: a folder, a zip archive, or the name of a pack that comes with Flourish.",
            valueName: "pack"),
        completion: .file())
    var install: String?

    @Option(help: ArgumentHelp("Remove an installed pack.", valueName: "name"), completion: .effectPacks)
    var remove: String?

    @Flag(help: "Print JSON: an array with one object for each pack.")
    var json = false

    @Flag(name: [.customShort("y"), .long], help: "With --install: replace an installed pack of the same name.")
    var overwrite = false

    @OptionGroup var place: OwnEffectsFolder

    func validate() throws {
        let tasks = [("--install", install != nil), ("--remove", remove != nil), ("--json", json)].filter(\.1).map(\.0)
        if tasks.count > 1 { throw ValidationError("\(tasks[0]) and \(tasks[1]) cannot be combined; use one") }
        if overwrite, install == nil { throw ValidationError("--overwrite requires --install") }
    }

    func run() async throws {
        if let install {
            let installed = try EffectPack.install(install, in: place.path, overwrite: overwrite)
            StandardOutput.print("\(installed.name): \(installed.effects.map(\.rawValue).joined(separator: ", "))")
        } else if let remove {
            try EffectPack.remove(remove, from: place.path)
        } else {
            try list()
        }
    }

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

    private func list() throws {
        let installed = try EffectPack.installed(in: place.path)
        let others = try EffectPack.included().filter { pack in !installed.contains { $0.name == pack.name } }
        let rows = installed.map { Row($0, isInstalled: true) } + others.map { Row($0, isInstalled: false) }
        if json { return try StandardOutput.print(json: rows) }
        let cells = rows.map { row in
            [
                row.name, row.isInstalled ? "yes" : "no", row.version ?? "-",
                row.effects.map(\.rawValue).joined(separator: ", "),
            ]
        }
        StandardOutput.print(columns: [["PACK", "INSTALLED", "VERSION", "EFFECTS"]] + cells)
    }
}
