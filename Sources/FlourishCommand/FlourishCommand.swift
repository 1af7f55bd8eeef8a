import ArgumentParser

@main
struct FlourishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "flourish")
}
