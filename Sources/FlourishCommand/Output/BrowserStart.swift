import Foundation

/// Shows a page in the person's browser.
enum BrowserStart {
    /// Starts `$BROWSER`, or what the desktop opens pages with; says so where there is neither.
    static func open(_ url: String) {
        let environment = ProcessInfo.processInfo.environment
        let named = environment["BROWSER"].flatMap { $0.split(separator: ":").first.map(String.init) }
        #if os(macOS)
        let usual = "open"
        #else
        let usual = "xdg-open"
        #endif
        let program = named ?? usual
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = program.split(separator: " ").map(String.init) + [url]
        for stream in [\Process.standardInput, \Process.standardOutput, \Process.standardError] {
            process[keyPath: stream] = FileHandle.nullDevice
        }
        process.terminationHandler = { ended in
            // Some programs stay as long as the browser does.
            if ended.terminationStatus == 126 || ended.terminationStatus == 127 {
                Console.warn("no browser was found; open the address in one, or name it in $BROWSER")
            }
        }
        if (try? process.run()) == nil {
            Console.warn("no browser could be started; open the address in one")
        }
    }
}
