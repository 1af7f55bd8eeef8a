import ArgumentParser

/// `flourish puppet`
struct PuppetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "puppet")
}
