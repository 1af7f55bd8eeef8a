import FoundationEssentials
import Platform

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

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
        guard let process = start("/usr/bin/env", words, environment.map { "\($0.key)=\($0.value)" }) else {
            return Console.warn("no browser could be started; open the address in one")
        }
        // Some programs stay as long as the browser does.
        StageThread {
            var status: Int32 = 0
            while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
            let (hasExited, code) = (status & 0x7f == 0, status >> 8 & 0xff)
            if hasExited, code == 126 || code == 127 {
                Console.warn("no browser was found; open the address in one, or name it in $BROWSER")
            }
        }.detach()
    }

    /// Starts a program that reads nothing and whose words nobody reads.
    ///
    /// - Returns: its process; `nil` where there is none.
    private static func start(_ path: String, _ words: [String], _ environment: [String]) -> pid_t? {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = unsafe posix_spawn_file_actions_t()
        #endif
        guard unsafe posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for descriptor in STDIN_FILENO...STDERR_FILENO {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        let variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        return unsafe posix_spawn(&process, path, &actions, nil, arguments, variables) == 0 ? process : nil
    }
}
