internal import CFFmpeg
package import Platform

/// The cause of a failure with a media file, in words for the user who specified the file.
package struct MediaError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The file does not exist.
        case notFound
        /// The input cannot be read, for lack of permission.
        case unreadable
        case isDirectory
        case empty
        /// The content has no format that FFmpeg knows, such as plain text.
        case notMedia
        /// The format is known, but the file is truncated or damaged beyond use.
        case damaged
        /// There is sound or text, but no moving or still picture.
        case noVideo
        case noDecoder
        /// The file is encrypted, needs a decoder that is not allowed, or is a playlist that refers to
        /// anything but local files.
        case refused
        /// The pictures are larger than ``InputSettings/maxPixels``.
        case tooLarge
        /// The extension of the output's name belongs to no container.
        case unknownOutputFormat
        case noEncoder
        /// The encoder refused its settings.
        case encoderRefused
        /// The container cannot hold the encoder's output.
        case unsupportedInContainer
        /// The container's muxer refuses a packet copied from the input.
        case packetRefused
        /// The output cannot be created at the requested place.
        case unwritable
        case diskFull
        /// The encoder does not accept pictures of this size.
        case sizeUnsupported
        /// Reading or writing failed midway.
        case io
        /// The settings are not valid for this file.
        case invalidSettings
        /// No data arrived before the time-out.
        case timedOut
        /// The reader of the output has closed it.
        case readerLeft
        /// The ``InterruptFlag`` was raised.
        case interrupted
        /// A fault of this program or of FFmpeg.
        case `internal`
    }

    package var code: Code
    /// The file's path as the caller passed it.
    package var file: String
    /// One line that names the file, states the fault and, where possible, the remedy.
    package var message: String
    /// FFmpeg's own message, if it provided one.
    package var detail: String?

    package init(_ code: Code, file: String, _ message: String, detail: String? = nil) {
        self.code = code
        self.file = file
        self.message = message
        self.detail = detail
    }

    /// True if the file's content is at fault, not its path or a setting.
    package var isOfContent: Bool { [.notMedia, .damaged, .noVideo].contains(code) }

    /// The description without the file's name at the beginning, for lists and messages that name the file themselves.
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
    /// Returns FFmpeg's message for one of its error codes.
    ///
    /// `av_strerror`
    static func text(of status: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        let count = buffer.count
        _ = unsafe buffer.withUnsafeMutableBufferPointer { unsafe av_strerror(status, $0.baseAddress, count) }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the error for a status of FFmpeg from reading `file`.
    ///
    /// - Parameter isSound: Whether the file's bytes could be read. An I/O error then means invalid content, since some
    ///   demuxers report it so.
    static func reading(_ file: String, status: Int32, isSound: Bool = false) -> MediaError {
        let detail = text(of: status)
        switch status {
        case cffmpeg_error_exit:
            return MediaError(.interrupted, file: file, "\(file): reading was interrupted", detail: nil)
        case cffmpeg_averror(ENOENT):
            return MediaError(.notFound, file: file, "\(file): no such file")
        case cffmpeg_averror(ELOOP), cffmpeg_averror(ENOTDIR), cffmpeg_averror(ENAMETOOLONG):
            return MediaError(
                .notFound, file: file, "\(file): not a valid path; check it", detail: detail)
        case cffmpeg_averror(EACCES), cffmpeg_averror(EPERM):
            return MediaError(.unreadable, file: file, "\(file): permission denied; check its permissions")
        case cffmpeg_averror(EISDIR):
            return MediaError(.isDirectory, file: file, "\(file): is a folder; name a video file")
        case cffmpeg_error_protocol_not_found:
            return MediaError(
                .notFound, file: file, "\(file): this protocol is not supported; name a file", detail: detail)
        case cffmpeg_error_invalid_data:
            return MediaError(.damaged, file: file, "\(file): the file is damaged", detail: detail)
        case cffmpeg_error_enomem:
            return tooMuchMemory(file)
        default:
            // FFmpeg's own codes, below those of the system, concern the content. So do the listed codes of the system
            // when a demuxer returns them.
            let isOfContent =
                status < -4096 || isSound && status == cffmpeg_averror(EIO)
                || [EINVAL, ERANGE, EDOM, EBUSY, EAGAIN].contains(where: { cffmpeg_averror($0) == status })
            if isOfContent {
                return MediaError(
                    .damaged, file: file, "\(file): the file is damaged, or in a format that FFmpeg does not support")
            }
            return MediaError(.io, file: file, "\(file): could not be read", detail: detail)
        }
    }

    /// Returns the error for an address that could not be opened for reading.
    static func connecting(_ address: String, status: Int32) -> MediaError {
        MediaError(
            .unreadable, file: address,
            "\(address): connecting failed; check the address and the sender",
            detail: text(of: status))
    }

    /// Returns the error for a status of FFmpeg from writing `file`.
    static func writing(_ file: String, status: Int32) -> MediaError {
        if status == cffmpeg_error_exit {
            return MediaError(.interrupted, file: file, "\(file): writing was interrupted")
        }
        // FFmpeg's codes for the system's errors are the negated error numbers.
        return FileError(file, cause: cffmpeg_averror(status)).map(MediaError.init)
            ?? MediaError(.io, file: file, "\(file): could not be written", detail: text(of: status))
    }

    /// Converts an error of the module Platform.
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

    /// Calls a closure that writes a file, and converts the closure's error.
    static func rephrasing<Value>(_ body: () throws(FileError) -> Value) throws(MediaError) -> Value {
        do { return try body() } catch { throw MediaError(error) }
    }

    /// Returns the error for a video with a codec that FFmpeg does not name.
    ///
    /// - Parameter tag: The four-character code in the container, the first character in the lowest byte.
    static func unknownCodec(_ file: String, tag: UInt32) -> MediaError {
        let letters = (0..<4).map { UInt8(truncatingIfNeeded: tag >> ($0 * 8)) }
        let isText = letters.allSatisfy { (0x20...0x7E).contains($0) }
        let name = isText ? "'\(String(decoding: letters, as: UTF8.self))'" : "an invalid codec tag"
        return MediaError(
            .damaged, file: file,
            "\(file): its video has the codec tag \(name), which FFmpeg does not support; the file is damaged, or needs another program"
        )
    }

    /// Returns the error for a recording with Common Encryption. Its keys are not in the file, and a copy of its packets
    /// could not be decrypted.
    static func encrypted(_ file: String) -> MediaError {
        MediaError(
            .refused, file: file,
            "\(file): is encrypted (cenc), and the keys are not in the file; decrypt it first, with the program that has them"
        )
    }

    /// Returns the error for content that needs more memory than FFmpeg allows, or than is available. Damaged and
    /// hostile files may announce any size.
    static func tooMuchMemory(_ file: String) -> MediaError {
        MediaError(
            .damaged, file: file,
            "\(file): needs more memory than is available; the file is damaged, or too large for this machine")
    }

    static func outOfMemory(_ file: String) -> MediaError {
        MediaError(.internal, file: file, "\(file): out of memory")
    }

    /// Returns the error for an output that may be incomplete because memory was refused: see ``RefusedMemory``.
    package static func refusedMemory(_ file: String) -> MediaError {
        MediaError(
            .internal, file: file,
            "\(file): the output may be incomplete, since memory ran out; raise the memory limit, or close other programs"
        )
    }

    /// Throws an out-of-memory error if the status of a call is negative. Use this function for calls that fail only
    /// for lack of memory, such as setting an option or copying tags. If such a failure were ignored, the output would
    /// differ from the requested one.
    static func demandMemory(_ status: Int32, _ file: String) throws(MediaError) {
        if status < 0 { throw outOfMemory(file) }
    }
}
