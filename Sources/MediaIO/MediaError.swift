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
