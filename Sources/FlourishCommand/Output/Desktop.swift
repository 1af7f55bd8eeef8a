import FoundationEssentials
import Platform

/// The user's browser.
enum Browser {
    /// Opens a page with `$BROWSER`, or with the desktop's opener; warns if there is neither.
    static func open(_ url: String) {
        let environment = ProcessInfo.processInfo.environment
        let named = environment["BROWSER"].flatMap { $0.split(separator: ":").first.map(String.init) }
        let words = ["env"] + (named ?? "xdg-open").split(separator: " ").map(String.init) + [url]
        guard let browser = try? ChildProcess("/usr/bin/env", words, environment: Desktop.variables) else {
            return Console.warn("no browser could be started; open the address yourself")
        }
        // Some openers run for as long as the browser does.
        StageThread {
            let code = browser.wait()
            if code == 126 || code == 127 {
                Console.warn("no browser was found; open the address yourself, or set BROWSER")
            }
        }.detach()
    }
}

/// Settings of the user's desktop.
enum Desktop {
    fileprivate static var variables: [String] {
        ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
    }

    /// Asks the settings portal, and then GNOME's settings, whether motion is to be reduced. Desktops without either do not
    /// answer.
    private static let motionQuery = """
        gdbus call --session --timeout 1 --dest org.freedesktop.portal.Desktop \
            --object-path /org/freedesktop/portal/desktop --method org.freedesktop.portal.Settings.ReadOne \
            org.freedesktop.appearance reduced-motion 2>/dev/null | grep -q 'uint32 1' && exit 0
        [ "$(timeout 2 gsettings get org.gnome.desktop.interface enable-animations 2>/dev/null)" = false ]
        """

    /// Returns whether the desktop asks programs to reduce motion.
    static func reducesMotion() -> Bool {
        (try? ChildProcess("/bin/sh", ["sh", "-c", motionQuery], environment: variables))?.wait() == 0
    }
}
