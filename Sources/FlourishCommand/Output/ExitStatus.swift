import ArgumentParser
import Flourish

/// The program's exit codes: those of sysexits.h, as ArgumentParser uses them,
/// and the shell's for an interrupt.
enum ExitStatus {
    static func code(for code: FlourishError.Code) -> ExitCode {
        switch code {
        case .usage: ExitCode(64)
        case .inputUnusable: ExitCode(65)
        case .inputUnavailable: ExitCode(66)
        case .unavailable: ExitCode(69)
        case .internal: ExitCode(70)
        case .outputUnavailable: ExitCode(73)
        case .inputOutput: ExitCode(74)
        case .outputClosed: outputClosed
        case .interrupted: interrupted
        }
    }

    /// 128 + SIGPIPE, as shells report it of a program that writes to nobody.
    static let outputClosed = ExitCode(141)

    /// After Ctrl-C 128 + SIGINT, after a request to terminate 128 + SIGTERM.
    static var interrupted: ExitCode { InterruptHandler.exitCode }

    /// What `--help` and the manual say.
    static let table = """
          0    all went well
          64   the command line or a configuration file makes no sense
          65   the input is not a video, or damaged beyond use; a plan makes no sense; of many recordings, some failed
          66   the input is missing or cannot be read
          69   a codec, model or library is missing on this machine (see: flourish doctor, which ends so, too)
          70   a fault of flourish itself or of a library in it, or too little memory
          73   the output cannot be created, or exists already
          74   reading or writing failed midway (disk full)
          130  interrupted by Ctrl-C; what was written by then plays
          141  the program that read the output has gone; there is no message
          143  as 130, asked by SIGTERM; 129, when the terminal was closed
        """
}
