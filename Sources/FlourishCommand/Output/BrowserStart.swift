import FoundationEssentials
import Platform

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
        let words = ["env"] + (named ?? usual).split(separator: " ").map(String.init) + [url]
        let variables = environment.map { "\($0.key)=\($0.value)" }
        guard let browser = ChildProcess("/usr/bin/env", words, environment: variables) else {
            return Console.warn("no browser could be started; open the address in one")
        }
        // Some programs stay as long as the browser does.
        StageThread {
            let code = browser.wait()
            if code == 126 || code == 127 {
                Console.warn("no browser was found; open the address in one, or name it in $BROWSER")
            }
        }.detach()
    }
}
