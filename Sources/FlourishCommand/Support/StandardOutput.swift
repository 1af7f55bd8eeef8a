import Flourish
#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What may go to the standard output.
enum StandardOutput {
    /// Refuses a video there beside events, or on a terminal; and cues, which need a file.
    static func check(_ output: String, events: String?, cues: String? = nil) throws(FlourishError) {
        if cues == "-" { throw FlourishError(.usage, "cues go into a file; give --sidecar its path") }
        guard output == "-" else { return }
        if events == "-" {
            throw FlourishError(
                .usage, "the standard output cannot hold video and events; give --events a file, such as /dev/stderr")
        }
        if isatty(STDOUT_FILENO) == 1 {
            throw FlourishError(.usage, "the video would go to the terminal; send it into a pipe or a file")
        }
    }
}
