internal import CSpawn

/// A program that this process has started, in a process group of its own.
///
/// It inherits nothing but the working directory: signals have their default actions, and no descriptor is open except
/// the standard ones. Its standard output and error are `/dev/null`.
package struct ChildProcess: Sendable {
    private let process: pid_t

    /// The reason why the system did not start a program.
    package struct StartError: Error, Sendable, Hashable {
        /// `errno`
        package let number: Int32
        /// The system's message.
        package var message: String { systemMessage(number) }
    }

    /// The end of a program.
    package enum Ending: Sendable, Hashable {
        case exited(Int32)
        case signalled(Int32)
        /// The program has ended, and the system does not say how, because this process ignores `SIGCHLD`.
        case unknown
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The program's file. A name without a slash is searched in the folders of `PATH`.
    ///   - words: The program's arguments, the first of which is the program's own name.
    ///   - environment: All environment variables of the program, as `NAME=value`. The program inherits none of this
    ///     process.
    ///   - input: The content of the standard input, as a file of its own in memory; `nil` for `/dev/null`.
    package init(
        _ path: String, _ words: [String], environment: [String] = [], input: [UInt8]? = nil
    ) throws(StartError) {
        let content: Int32? = if let input { try Self.file(of: input) } else { nil }
        defer { if let content { close(content) } }
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        try Self.check(unsafe posix_spawn_file_actions_init(&actions))
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        try Self.check(unsafe posix_spawnattr_init(&attributes))
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        if let content { unsafe posix_spawn_file_actions_adddup2(&actions, content, STDIN_FILENO) }
        for descriptor in (content == nil ? STDIN_FILENO : STDOUT_FILENO)...STDERR_FILENO {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var (all, none) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        var flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
        #if canImport(Darwin)
        flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
        #else
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
        #endif
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        let variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        try Self.check(unsafe posix_spawnp(&process, path, &actions, &attributes, arguments, variables))
        self.process = process
    }

    private static func check(_ status: Int32) throws(StartError) {
        if status != 0 { throw StartError(number: status) }
    }

    /// Returns the descriptor of a nameless file with a content, at its beginning. Unlike a pipe, it never waits for a
    /// reader.
    private static func file(of content: [UInt8]) throws(StartError) -> Int32 {
        #if os(Linux)
        let descriptor = cspawn_memory_file()
        #else
        var name = Array("/tmp/flourish-XXXXXX".utf8CString)
        let descriptor = unsafe mkostemp(&name, O_CLOEXEC)
        if descriptor >= 0 { _ = unsafe unlink(name) }
        #endif
        guard descriptor >= 0 else { throw StartError(number: errno) }
        let status = DescriptorOutput.write(content, to: descriptor)
        guard status == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            close(descriptor)
            throw StartError(number: status == 0 ? errno : status)
        }
        return descriptor
    }

    /// Waits until the program ends. Neither this nor ``poll()`` may be called afterwards: the system may give the
    /// process id to another process.
    ///
    /// - Returns: The exit code; `nil` if a signal ended the program.
    @discardableResult
    package func wait() -> Int32? { if case .exited(let code)? = ending(options: 0) { code } else { nil } }

    /// Returns the end of the program; `nil` while it runs. Must not be called again after it has ended.
    package func poll() -> Ending? { ending(options: WNOHANG) }

    /// Ends the program and all programs of its process group, which cannot refuse. The caller must still wait for it.
    package func end() { _ = kill(-process, SIGKILL) }

    private func ending(options: Int32) -> Ending? {
        var status: Int32 = 0
        while true {
            let changed = unsafe waitpid(process, &status, options)
            if changed == 0 { return nil }
            if changed == process { break }
            guard errno == EINTR else { return .unknown }
        }
        return status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signalled(status & 0x7f)
    }
}
