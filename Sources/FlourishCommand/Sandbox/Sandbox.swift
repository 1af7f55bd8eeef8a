import ArgumentParser
import CSandbox
import Platform

/// The program gives up, for good, what a run has no use for: files to write but its outputs, programs to start, sockets.
/// Whoever takes it over by a hole in a library that reads video has no more than that.
///
/// Where the kernel has none of it, all stays as it was; `flourish doctor` says so.
enum Sandbox {
    /// What of it is in force.
    struct Strength: Sendable, Hashable {
        /// Whether files are kept from being written: Landlock.
        var files: Bool
        /// Whether calls are refused: seccomp.
        var calls: Bool
    }

    /// Puts it up as a command needs it, unless it was declined.
    static func enter(for command: any ParsableCommand) {
        guard let command = command as? any SandboxedCommand, !command.sandbox.noSandbox else { return }
        enter(command.needs)
    }

    /// Puts it up around the thread that calls and all that begin later, so that it is called before any other begins.
    /// Calls are refused in all threads.
    @discardableResult
    static func enter(_ needs: SandboxNeeds) -> Strength {
        if needs.startsPrograms { return Strength(files: false, calls: false) }
        var strength = Strength(files: false, calls: false)
        if !needs.writesAnywhere, let list = FileList() {
            for path in needs.writable { list.allow(path) }
            strength.files = list.enforce()
        }
        strength.calls = csandbox_enforce_calls(
            needs.usesNetwork
                ? CSANDBOX_NETWORK_SOCKETS : needs.usesLocalSockets ? CSANDBOX_LOCAL_SOCKETS : CSANDBOX_NO_SOCKETS)
        return strength
    }

    /// What may be written.
    private struct FileList: ~Copyable {
        private let descriptor: Int32

        init?() {
            descriptor = csandbox_begin_files()
            if descriptor < 0 { return nil }
        }

        func allow(_ path: [UInt8]) {
            unsafe csandbox_allow(descriptor, path.map { CChar(bitPattern: $0) } + [0])
        }

        consuming func enforce() -> Bool { csandbox_enforce_files(descriptor) }
    }
}
