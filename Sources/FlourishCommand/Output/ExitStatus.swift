import ArgumentParser
import Flourish
import Platform

/// The exit codes of the program: those of sysexits.h, as in ArgumentParser, and the shell's codes for signals.
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

    /// 128 + SIGPIPE, as shells report it for a program whose reader has gone.
    static let outputClosed = ExitCode(141)

    /// 128 + SIGINT, SIGTERM or SIGHUP.
    static var interrupted: ExitCode { InterruptHandler.exitCode }

    /// The table in `--help` and the manual.
    static let table = """
          0    success
          64   invalid command line or configuration file
          65   the input is not a video, or is damaged; a plan is invalid; some of many recordings failed
          66   the input does not exist or cannot be read
          69   a codec, model or library is missing on this machine (see: flourish doctor)
          70   an internal error, or out of memory
          73   the output cannot be created, or exists
          74   reading or writing failed (disk full)
          130  interrupted by Ctrl-C; the output up to then is playable
          141  the reader of the output closed the pipe; there is no message
          143  as 130, by SIGTERM; 129: the terminal was closed
        """
}

extension FlourishError {
    /// The problem, and the remedy on the command line.
    var line: String {
        let advice: String? =
            switch remedy {
            case .overwriting: "use --overwrite to replace it"
            case .encodingTheWhole: "remove --smart-render always to encode the whole video"
            case .keepingGesturesElsewhere: "choose another file with --gestures"
            case .namingAssets: "run flourish doctor for instructions, or set FLOURISH_ASSETS"
            case .namingModels: "run flourish doctor for instructions, or use --no-gestures with filter and detect"
            case .namingFrameRate: "give the timeline's frame rate with --frame-rate"
            case .namingStartTimecode: "give a --start-timecode such as 01:00:00:00"
            case .movingMarker: "move it, or give the timeline's start with --start-timecode"
            case .countingAllFrames: "remove --drop-frame"
            case nil: nil
            }
        return problem + (advice.map { "; " + $0 } ?? "")
    }
}
