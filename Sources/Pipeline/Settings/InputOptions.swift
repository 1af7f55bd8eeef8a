package import MediaIO

/// The options for opening an input. They complement or override the properties that the input states.
public struct InputOptions: Sendable, Hashable {
    /// A choice of decoders.
    public enum Decoders: String, Sendable, Hashable, CaseIterable {
        /// The decoders of usual recordings. An input with another codec is refused; streams that are only copied may
        /// have any codec.
        case recordings
        /// All decoders of the installed FFmpeg, including those with known vulnerabilities. For trusted files only.
        case all
    }

    /// A time in seconds, some thirty years, that is later than any time of a recording.
    package static let latestTime = 1e9

    /// FFmpeg's name of the container, such as `nut`, `matroska`, `mpegts`, `yuv4mpegpipe` or `rawvideo`; detected if `nil`.
    public var format: String?
    /// The picture's size as `1280x720`. Raw video needs it, and cameras may support it.
    public var videoSize: String?
    /// FFmpeg's name of a pixel format, for raw video and cameras.
    public var pixelFormat: String?
    /// The frame rate as `30` or `30000/1001`, for raw video and cameras.
    public var frameRate: String?
    /// The maximum size of an accepted picture, in pixels. The default accepts 8K and the photos of phones. Such
    /// pictures take several gigabytes of memory.
    public var maxPixels = 1 << 26
    /// The decoders that may be used for the input.
    public var decoders = Decoders.recordings
    /// The time without data, in seconds, after which an input from the network counts as lost.
    public var timeout = 10.0
    /// The time without data from a pipe or the network, in seconds, after which the warning `inputStalled` is emitted.
    public var stallAfter = 5.0
    /// The number of consecutive attempts to reconnect to an input from the network that was lost.
    public var reconnects = 0

    /// The start of the trim, in seconds from the recording's first frame. The output begins there at 0.
    public var start = 0.0
    /// The end of the trim, in seconds from the recording's first frame; the recording's end if `nil`.
    public var end: Double?

    /// The trim range of a recording; `nil` for all of it.
    package var trim: TrimRange? {
        guard start > 0 || end != nil else { return nil }
        var trim = TrimRange(start: start, end: end)
        trim.opening = opening
        if let preroll = entry.preroll { trim.preroll = preroll }
        return trim
    }
    /// The value of ``TrimRange/opening``. A run determines it if it needs the exact packets of the trim range.
    package var opening: MediaTime?
    /// The seek mode for ``start``.
    package var entry = TrimEntry.complete

    /// Creates options that detect everything.
    public init() {}
}

/// The seek mode at the start of a trim range.
package struct TrimEntry: Sendable, Hashable {
    /// The seconds before the start at which reading begins; ``TrimRange/preroll`` if `nil`.
    var preroll: Double?
    /// True if frames before the start are skipped if no other frame refers to them.
    package var skipsUnreferencedFrames = false

    /// Reads everything that belongs to the start.
    package static let complete = TrimEntry()
    /// Returns the first frame as soon as possible, and does not wait for sound that is stored far from its picture.
    package static let quick = TrimEntry(preroll: 0.1, skipsUnreferencedFrames: true)
}

// MARK: - Declarations of settings

extension SettingKey {
    static let input: [SettingKey] = [
        SettingKey(
            "input.max-pixels", \.input.maxPixels, .integer(1...2_147_483_647), option: "--max-pixels n",
            "The maximum picture size in pixels; larger inputs are rejected."),
        SettingKey(
            "input.decoders", \.input.decoders, .choice(of: InputOptions.Decoders.self), option: "--decoders which",
            "The decoders that may be used: those of usual recordings, or all of FFmpeg's, for files that you trust."
        ),
        SettingKey(
            "input.timeout", \.input.timeout, .number(0.1...86_400, unit: "s"), option: "--input-timeout s",
            "The network timeout: after this time without data, an input is lost and an output fails."),
        SettingKey(
            "input.stall", \.input.stallAfter, .number(0.1...86_400, unit: "s"), option: "--input-stall s",
            "The time without data from a pipe or the network after which a warning is logged."),
        SettingKey(
            "input.reconnect", \.input.reconnects, .integer(0...1_000_000), option: "--input-reconnect n",
            "The maximum number of consecutive attempts to reconnect to a lost network input."),
    ]
}
