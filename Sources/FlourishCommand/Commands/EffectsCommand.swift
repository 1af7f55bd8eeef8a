import ArgumentParser
import Flourish

/// The command `flourish effects`, which makes and edits files of custom effects. Without a subcommand, it opens the
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
        defaultSubcommand: EffectEditCommand.self,
        aliases: ["effect"])

    /// The folder of this user's effects.
    static var usualFolder: String {
        Resources.configurationFolder(environment: Resources.currentEnvironment()) + "/effects"
    }
}
