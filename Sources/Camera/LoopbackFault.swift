import Flourish
import Platform

/// The lines for devices to which no pictures can be written.
enum LoopbackFault {
    static func opening(_ path: String, _ error: RawFileError) -> FlourishError {
        switch error.number {
        case ENOENT, ENXIO:
            refusal("\(path): there is no such device; create it with: \(LoopbackModule.creating(path))")
        case EACCES, EPERM:
            refusal("\(path): permission denied; join the group video (\(LoopbackModule.joining)), and log in again")
        case EBUSY: busy(path)
        // ENOTTY is the answer of files and of other devices.
        case ENODEV, ENOTTY, EINVAL, EISDIR:
            refusal("\(path): this is no video device; name one of v4l2loopback, such as /dev/video10")
        default: refusal("\(path): the device cannot be opened (\(error.message))")
        }
    }

    static func otherDriver(_ path: String, _ driver: String) -> FlourishError {
        refusal(
            "\(path): this is a device of \(driver), not of v4l2loopback; create one with: \(LoopbackModule.creating())"
        )
    }

    static func busy(_ path: String) -> FlourishError {
        refusal("\(path): another program writes to this device; end that program, or name another device")
    }

    static func silentDriver(_ path: String) -> FlourishError {
        FlourishError(
            .unavailable,
            "\(path): this version of v4l2loopback does not report whether a program reads; install 0.13 or later")
    }

    static func format(_ path: String, _ format: LoopbackFormat) -> FlourishError {
        let code = String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: format.code >> ($0 * 8)) }, as: UTF8.self)
        return refusal(
            "\(path): the device keeps a format that is not written (\(code), \(format.width)×\(format.height)); "
                + "end the programs that use the device")
    }

    static func writing(_ path: String, _ error: RawFileError) -> FlourishError {
        FlourishError(
            .inputOutput, "\(path): the device accepts no picture (\(error.message)); start the command again")
    }

    static func removed(_ path: String) -> FlourishError {
        FlourishError(.inputOutput, "\(path): the device was removed; create it, and start the command again")
    }

    private static func refusal(_ problem: String) -> FlourishError { FlourishError(.outputUnavailable, problem) }
}
