package import MediaIO
import Platform
package import Reactions
import Vision

extension FlourishError {
    /// Creates the library's error for any error of the lower targets. An unknown error gets the code `internal`.
    package init(describing error: any Error) {
        switch error {
        case let error as FlourishError: self = error
        case let error as MediaError:
            self.init(Self.code(for: error.code), error.description)
            isDiskFull = error.code == .diskFull
            isLimit = error.code == .refused || error.code == .tooLarge
        case let error as FileError: self.init(error)
        case let error as InferenceError: self.init(.unavailable, error.description)
        case let error as GestureNetworkError: self.init(.unavailable, error.description)
        default: self.init(.internal, "\(error)")
        }
    }

    /// The error for an input whose video contains no decodable picture.
    package static func noPicture(in input: Demuxer) -> FlourishError {
        if input.hasIndexTooLate {
            return FlourishError(
                .inputUnusable,
                "\(input.path): its index stands at the end, so that it can only be read from a file; name a file, or move the index with ffmpeg -i IN -c copy -movflags +faststart OUT"
            )
        }
        // FFmpeg reports no error for a size that is not allowed.
        let size = input.video.width > 0 ? "" : ", or larger than input.max-pixels (\(input.maxPixels))"
        return FlourishError(
            .inputUnusable,
            "\(input.path): no picture of it can be decoded; it is damaged, or of a kind that FFmpeg does not decode\(size)"
        )
    }

    private static func code(for code: MediaError.Code) -> Code {
        switch code {
        case .notFound, .unreadable, .isDirectory: .inputUnavailable
        case .empty, .notMedia, .damaged, .noVideo, .refused, .tooLarge, .packetRefused: .inputUnusable
        case .noDecoder, .noEncoder: .unavailable
        case .unknownOutputFormat, .invalidSettings, .encoderRefused, .unsupportedInContainer, .sizeUnsupported: .usage
        case .unwritable: .outputUnavailable
        case .diskFull, .io, .timedOut: .inputOutput
        case .readerLeft: .outputClosed
        case .interrupted: .interrupted
        case .internal: .internal
        }
    }
}
