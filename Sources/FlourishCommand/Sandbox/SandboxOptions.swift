import ArgumentParser

/// Whether the program gives up what it has no use for.
struct SandboxOptions: ParsableArguments {
    @Flag(
        help:
            "Keep the rights to write other files than outputs, to start programs and to open other sockets than asked for."
    )
    var noSandbox = false
}

/// A command that reads what strangers made, and knows what it needs.
protocol SandboxedCommand {
    var sandbox: SandboxOptions { get }
    var needs: SandboxNeeds { get }
}
