internal import CFFmpeg
package import Platform

/// What went wrong with a media file, in words for the person who named it.
package struct MediaError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// There is no such file.
        case notFound
        /// The input may not be read.
        case unreadable
        case isDirectory
        case empty
        /// The content is of no format that FFmpeg knows, such as plain text.
        case notMedia
        /// The format is known, but the file is cut off or broken beyond use.
        case damaged
        /// There is sound or text, but no moving or still picture.
        case noVideo
        case noDecoder
        /// The pictures are larger than ``InputSettings/maxPixels``.
        case tooLarge
        /// The output's name ends in nothing that stands for a container.
        case unknownOutputFormat
        case noEncoder
        /// The encoder refused its settings.
        case encoderRefused
        /// The container cannot hold what the encoder makes.
        case unsupportedInContainer
        /// The container's muxer refuses a packet that is copied from the input.
        case packetRefused
        /// The output cannot be created where it was asked for.
        case unwritable
        case diskFull
        /// The picture is of a size that the encoder does not take.
        case sizeUnsupported
        /// Reading or writing failed midway.
        case io
        /// Settings that make no sense for this file.
        case invalidSettings
        /// No data came for too long.
        case timedOut
        /// Whoever read the output has gone.
        case readerLeft
        /// The ``InterruptFlag`` was raised.
        case interrupted
        /// A fault of this program or of FFmpeg.
        case `internal`
    }

    package var code: Code
    /// The file's path as it was given.
    package var file: String
    /// One line that names the file, says what is wrong and, where that helps, what to do.
    package var message: String
    /// FFmpeg's own words, if it had any.
    package var detail: String?

    package init(_ code: Code, file: String, _ message: String, detail: String? = nil) {
        self.code = code
        self.file = file
        self.message = message
        self.detail = detail
    }

    /// Whether it is what a file holds that is wrong, and neither its place nor a setting.
    package var isOfContent: Bool { [.notMedia, .damaged, .noVideo].contains(code) }

    /// The description without the file's name before it, for lists and messages that name the file themselves.
    package var problem: String {
        let prefix = file + ": "
        return description.hasPrefix(prefix) ? String(description.dropFirst(prefix.count)) : description
    }

    package var description: String {
        guard let detail else { return message }
        return "\(message) (\(detail))"
    }
}

extension MediaError {
    /// FFmpeg's words for one of its error codes.
    ///
    /// `av_strerror`
    static func text(of status: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        let count = buffer.count
        _ = unsafe buffer.withUnsafeMutableBufferPointer { unsafe av_strerror(status, $0.baseAddress, count) }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The error for a status that FFmpeg gave while it read `file`.
    ///
    /// - Parameter isSound: Whether the file's bytes could be read. Some demuxers call what they cannot make sense of an
    ///   error of input and output.
    static func reading(_ file: String, status: Int32, isSound: Bool = false) -> MediaError {
        let detail = text(of: status)
        switch status {
        case cffmpeg_error_exit:
            return MediaError(.interrupted, file: file, "\(file): reading was interrupted", detail: nil)
        case cffmpeg_averror(ENOENT):
            return MediaError(.notFound, file: file, "\(file): there is no such file")
        case cffmpeg_averror(ELOOP), cffmpeg_averror(ENOTDIR), cffmpeg_averror(ENAMETOOLONG):
            return MediaError(
                .notFound, file: file, "\(file): there can be no such file; check its name", detail: detail)
        case cffmpeg_averror(EACCES), cffmpeg_averror(EPERM):
            return MediaError(.unreadable, file: file, "\(file): may not be read; check its permissions")
        case cffmpeg_averror(EISDIR):
            return MediaError(.isDirectory, file: file, "\(file): is a folder; name a video file")
        case cffmpeg_error_protocol_not_found:
            return MediaError(
                .notFound, file: file, "\(file): this kind of address cannot be read; name a file", detail: detail)
        case cffmpeg_error_invalid_data:
            return MediaError(.damaged, file: file, "\(file): the file is damaged", detail: detail)
        case cffmpeg_error_enomem:
            return tooMuchMemory(file)
        default:
            // What is neither the system's nor a connection's is FFmpeg's word on the content.
            let isOfContent =
                status < -4096 || isSound && status == cffmpeg_averror(EIO)
                || [EINVAL, ERANGE, EDOM, EBUSY, EAGAIN].contains(where: { cffmpeg_averror($0) == status })
            if isOfContent {
                return MediaError(
                    .damaged, file: file, "\(file): the file is damaged, or of a kind that FFmpeg does not read")
            }
            return MediaError(.io, file: file, "\(file): could not be read", detail: detail)
        }
    }

    /// The error for an address that could not be opened for reading.
    static func connecting(_ address: String, status: Int32) -> MediaError {
        MediaError(
            .unreadable, file: address,
            "\(address): could not be connected to; check the address and that somebody sends",
            detail: text(of: status))
    }

    /// The error for a status that FFmpeg gave while it wrote `file`.
    static func writing(_ file: String, status: Int32) -> MediaError {
        if status == cffmpeg_error_exit {
            return MediaError(.interrupted, file: file, "\(file): writing was interrupted")
        }
        // FFmpeg's codes for the system's errors are their numbers, negated.
        return FileError(file, cause: cffmpeg_averror(status)).map(MediaError.init)
            ?? MediaError(.io, file: file, "\(file): could not be written", detail: text(of: status))
    }

    /// The same error in this module's words.
    package init(_ error: FileError) {
        let code: Code =
            switch error.code {
            case .unwritable: .unwritable
            case .diskFull: .diskFull
            case .io: .io
            case .outOfMemory: .internal
            }
        self.init(code, file: error.path, error.message, detail: error.detail)
    }

    /// Does something with a file that is being written.
    static func rephrasing<Value>(_ body: () throws(FileError) -> Value) throws(MediaError) -> Value {
        do { return try body() } catch { throw MediaError(error) }
    }

    /// The error for a video whose codec is nothing that FFmpeg has a name for.
    ///
    /// - Parameter tag: the four letters that the container tells of it, the first in the lowest byte.
    static func unknownCodec(_ file: String, tag: UInt32) -> MediaError {
        let letters = (0..<4).map { UInt8(truncatingIfNeeded: tag >> ($0 * 8)) }
        let isText = letters.allSatisfy { (0x20...0x7E).contains($0) }
        let name = isText ? "'\(String(decoding: letters, as: UTF8.self))'" : "nothing that could be a codec's name"
        return MediaError(
            .damaged, file: file,
            "\(file): its video is marked as \(name), which FFmpeg does not know; the file is damaged, or needs another program"
        )
    }

    /// The error for content that asks FFmpeg for more memory than it takes from the system, or than there is: damaged and
    /// hostile files announce whatever they like.
    static func tooMuchMemory(_ file: String) -> MediaError {
        MediaError(
            .damaged, file: file,
            "\(file): asks for more memory than there is; the file is damaged, or too large for this machine")
    }

    static func outOfMemory(_ file: String) -> MediaError {
        MediaError(.internal, file: file, "\(file): out of memory")
    }

    /// The error for an output of which nobody knows what it lacks: see ``RefusedMemory``.
    package static func refusedMemory(_ file: String) -> MediaError {
        MediaError(
            .internal, file: file,
            "\(file): there was not enough memory at times, so that something may be missing; allow for more, or close other programs"
        )
    }

    /// Takes the result of what FFmpeg cannot do for want of memory alone, such as to note an option or to copy tags: what
    /// went on without would be another output than the one asked for.
    static func demandMemory(_ status: Int32, _ file: String) throws(MediaError) {
        if status < 0 { throw outOfMemory(file) }
    }
}
