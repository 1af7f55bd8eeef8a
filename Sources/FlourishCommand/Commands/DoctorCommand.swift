import ArgumentParser

/// `flourish doctor`
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "doctor")
}
