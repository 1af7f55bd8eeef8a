import ArgumentParser
import Flourish
import Platform
import Synchronization

/// What may go to the standard output, and whether it got there.
enum StandardOutput {
    /// Why something that was printed could not be written, as an error number; 0 where all could.
    private static let failure = Atomic<Int32>(0)

    /// Opens what was closed when the program began, for nothing: a file that it opens would get the number, and
    /// messages with it.
    static func fillGaps() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Writes a line at once: someone may read along.
    ///
    /// - Returns: whether it could be written.
    @discardableResult
    static func print(_ text: String, ending: String = "\n") -> Bool {
        let status = DescriptorOutput.write(Array((text + ending).utf8), to: STDOUT_FILENO)
        if status != 0 { failure.store(status, ordering: .relaxed) }
        return status == 0
    }

    /// Ends the program where something that was printed is lost; a reader may have left.
    ///
    /// - Throws: an exit code, once it was told.
    static func check() throws {
        let status = failure.load(ordering: .relaxed)
        guard status != 0, status != EPIPE else { return }
        Console.error("-: the standard output takes no more (\(systemMessage(status)))")
        throw ExitStatus.code(for: .inputOutput)
    }

    /// Refuses a video there beside events or cues, or on a terminal; and cues by `-`.
    static func check(_ output: String, events: String?, cues: String? = nil) throws(FlourishError) {
        if cues == "-" { throw FlourishError(.usage, "cues go into a file; give --sidecar its path") }
        guard isHere(output) else { return }
        try refuse("events", of: "--events", at: events)
        try refuse("cues", of: "--sidecar", at: cues)
        if isatty(STDOUT_FILENO) == 1 {
            throw FlourishError(.usage, "the video would go to the terminal; send it into a pipe or a file")
        }
    }

    private static func refuse(_ content: String, of option: String, at path: String?) throws(FlourishError) {
        guard isHere(path) else { return }
        throw FlourishError(
            .usage, "the standard output cannot hold video and \(content); give \(option) a file, such as /dev/stderr")
    }

    /// Whether a path is that of the standard output.
    private static func isHere(_ path: String?) -> Bool {
        path.flatMap(DescriptorOutput.descriptor) == STDOUT_FILENO
    }
}
