import ArgumentParser
import Flourish
import FlourishControl

/// The options of a command that serves a page until the user ends it.
struct PageOptions: ParsableArguments {
    @Flag(help: "Open the page in the browser.")
    var open = false

    @Option(
        help: ArgumentHelp(
            "The port, the numeric address, or both (default: this machine only, on a free port).",
            valueName: "address"))
    var address: String?

    func place() throws(FlourishError) -> PanelAddress { try PanelAddress(address ?? "") }

    /// Prints the page's address, opens it if that is requested, and runs the work behind it until Ctrl-C.
    ///
    /// - Parameter work: returns when its task is cancelled.
    func show(_ title: String, _ url: String, _ work: @escaping @Sendable () async -> Void) async {
        let task = Task { await work() }
        let interrupt = InterruptHandler { task.cancel() }
        defer { interrupt.cancel() }
        Console.error("\(title): \(url)")
        if open { Browser.open(url) }
        await task.value
    }
}
