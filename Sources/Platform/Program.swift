/// The running program, and the platform's names for libraries.
package enum Program {
    /// The running program's path, with symbolic links resolved.
    package static func executablePath() -> String? {
        #if os(Linux)
        let path = "/proc/self/exe"
        #else
        let path = CommandLine.arguments[0]
        #endif
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// The file name extension of shared libraries.
    #if canImport(Darwin)
    package static let libraryEnding = "dylib"
    #else
    package static let libraryEnding = "so"
    #endif
}

/// A program that this process has started, with `/dev/null` as its standard input, output and error.
package struct ChildProcess: Sendable {
    private let process: pid_t

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The program's file.
    ///   - words: The program's arguments, the first of which is the program's own name.
    ///   - environment: All environment variables of the program, as `NAME=value`. The program inherits none of this
    ///     process.
    /// - Returns: `nil` if the system refuses.
    package init?(_ path: String, _ words: [String], environment: [String] = []) {
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
        guard unsafe posix_spawn(&process, path, &actions, nil, arguments, variables) == 0 else { return nil }
        self.process = process
    }

    /// Waits until the program ends. Must not be called again: the system may give the process id to another process.
    ///
    /// - Returns: The exit code; `nil` if a signal ended the program.
    @discardableResult
    package func wait() -> Int32? {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        return status & 0x7f == 0 ? status >> 8 & 0xff : nil
    }
}
