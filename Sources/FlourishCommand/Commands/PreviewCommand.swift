import ArgumentParser

/// `flourish preview`
struct PreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "preview")
}
