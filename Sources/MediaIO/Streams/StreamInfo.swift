package import Raster

/// One stream of a file, as the demuxer found it.
package struct StreamInfo: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        case video, audio, subtitle, data, attachment, unknown
    }

    /// Its place in the file, from 0.
    package var index: Int
    package var kind: Kind
    /// FFmpeg's short name of the codec, such as `h264`.
    package var codec: String
    /// The four-character code of the coding, where the container has such codes.
    package var codecTag: String?
    /// A still picture that stands for the file (cover art), not a moving one.
    package var isAttachedPicture: Bool
    package var timeBase: TimeBase
    package var startTime: MediaTime?
    package var duration: MediaTime?
    package var metadata: [String: String]

    package var language: String? { metadata["language"] }
}

/// The moving picture of a file, before any of it is decoded.
package struct VideoStreamInfo: Sendable, Hashable {
    /// The stream's place in the file.
    package var index: Int
    package var codec: String
    package var timeBase: TimeBase
    /// Frames a second over the whole stream; 0/1 where nothing is known.
    package var averageFrameRate: Rational
    /// Stored pixels, from the file's header: frames may differ.
    package var width: Int
    package var height: Int
    /// The width of a pixel over its height; 1/1 where the file does not say.
    package var sampleAspectRatio: Rational
    package var orientation: Orientation
    package var startTime: MediaTime?
    /// The stream's, or else the file's.
    package var duration: MediaTime?
    /// As the header claims; nil where it does not.
    package var frameCount: Int?

    /// A description of pictures that come from no file.
    package init(
        width: Int, height: Int, frameRate: Rational, timeBase: TimeBase? = nil
    ) {
        self.index = 0
        self.codec = ""
        self.timeBase = timeBase ?? frameRate.inverse
        self.averageFrameRate = frameRate
        self.width = width
        self.height = height
        self.sampleAspectRatio = Rational(1, 1)
        self.orientation = .upright
    }

    package var geometry: DisplayGeometry {
        DisplayGeometry(
            storedWidth: width, storedHeight: height, sampleAspectRatio: sampleAspectRatio.value,
            orientation: orientation)
    }
}

/// A named stretch of a file.
package struct Chapter: Sendable, Hashable {
    package var start: MediaTime
    package var end: MediaTime
    package var title: String?
}
