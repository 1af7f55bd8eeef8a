import CFlourish
import Flourish

/// A failed call: its status, and the message for the host.
struct CallFailure: Error {
    let status: flourish_status
    let message: String

    init(_ status: flourish_status, _ message: String) {
        (self.status, self.message) = (status, message)
    }

    /// An invalid argument.
    static func argument(_ message: String) -> CallFailure { CallFailure(FLOURISH_INVALID_ARGUMENT, message) }

    init(_ error: FlourishError) {
        status =
            switch error.code {
            case .usage: FLOURISH_INVALID_ARGUMENT
            case .inputUnavailable: FLOURISH_FILE_UNAVAILABLE
            case .inputUnusable: FLOURISH_FILE_UNUSABLE
            case .unavailable: FLOURISH_UNAVAILABLE
            case .outputUnavailable, .inputOutput, .outputClosed, .interrupted, .internal: FLOURISH_FAILED
            }
        // The remedies of files and encoding do not occur with frames.
        message =
            switch error.remedy {
            case .namingAssets:
                error.problem + "; install Flourish beside the library, or name the folder in processor.assets"
            case .namingModels:
                error.problem
                    + "; install Flourish beside the library, name them in processor.models and processor.runtime, or set recognition.gestures to false"
            default: error.message
            }
    }
}

/// Times in messages. Hosts count in seconds or in nanoseconds, as GStreamer does.
enum TimeText {
    /// Returns a time in seconds, exact to the nanosecond, such as `1.5 s`.
    static func seconds(_ nanoseconds: Int64) -> String {
        let (seconds, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        var digits = String(String(rest + 1_000_000_000).dropFirst())
        while digits.last == "0" { digits.removeLast() }
        return (nanoseconds < 0 ? "-" : "") + String(seconds) + (digits.isEmpty ? "" : "." + digits) + " s"
    }
}

/// Executes the body of a function of the API.
///
/// - Returns: `FLOURISH_OK`, or the status of the failure, whose message is stored for the thread.
func status(of body: () throws(CallFailure) -> Void) -> flourish_status {
    do throws(CallFailure) {
        try body()
        return FLOURISH_OK
    } catch {
        unsafe cflourish_set_message(error.message)
        return error.status
    }
}
