import ArgumentParser
import Flourish

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
