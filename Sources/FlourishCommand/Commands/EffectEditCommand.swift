import ArgumentParser
import Flourish
import FlourishControl
import FoundationEssentials
import Platform

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
            let server = try await EffectEditorServer(address: place, editor: editor)
            await page.show("effect editor", server.url) { await editor.run() }
            await server.stop()
        }
    }
}
