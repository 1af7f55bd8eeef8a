package import MediaIO
import Platform
import Raster

/// Selects the container and the encoder settings of an output, according to the configuration.
extension VideoEncoderSettings {
    /// The settings that the configuration requests.
    package init(_ configuration: Configuration) {
        self.init(configuration.encoding)
        if configuration.isLive { isLowLatency = true }
        embedsMessages = configuration.embedsMetadata
    }

    package init(_ options: EncodingOptions) {
        let codec: VideoCodec =
            switch options.codec {
            case .h264: .h264
            case .hevc: .hevc
            case .vp9: .vp9
            case .av1: .av1
            }
        self.init(
            codec: codec, crf: options.crf, bitRate: options.bitrate, usesRegions: options.protectsFaces,
            preset: options.preset)
        // Only a constant rate can be raised for effects.
        isConstantRate = options.codec == .h264
        // The encoder's own limit cannot change while the encoder runs, so it is the limit during effects, the looser
        // one.
        maxQP = options.maxFrameQPDuringEffects ?? options.maxFrameQP
        pixelFormat = options.pixelFormat
        (shorterSide, isLowLatency) = (options.shorterSide, options.isLowLatency)
        extraOptions["g"] = options.groupLength.map(String.init)
    }
}

extension TransparentCoding {
    /// Configures the encoding of an overlay in a container.
    ///
    /// - Throws: `MediaError` of the code `unsupportedInContainer` if the container cannot store transparency.
    package init(for path: String, in container: ContainerFormat) throws(MediaError) {
        guard let coding = TransparentCoding(container) else {
            throw MediaError(
                .unsupportedInContainer, file: path,
                "\(path): \(container.displayName) does not support transparency; write an overlay to \(Self.outputs)")
        }
        self = coding
    }

    /// The error for an output whose name does not determine its codec.
    package static func unknown(_ path: String) -> MediaError {
        MediaError(.unknownOutputFormat, file: path, "\(path): unknown overlay format; write an overlay to \(outputs)")
    }

    private static let outputs =
        ".webm (VP9), .mov (ProRes 4444), .mkv (FFV1), effects-%05d.png, or NUT or raw video to a pipe"
}

/// The preset of x264 or x265 that a live run uses by default. A frame that takes longer than its duration delays all
/// frames after it, so encoding must not use all the time of a core.
package enum LivePreset {
    /// The pixels a second for each core above which a faster preset is needed: above 25 million the default preset is
    /// too slow, and above 60 million `superfast` is, too. Measured on two cores of a rented server, with confetti all
    /// the time. 1080p at 30 frames a second is 31 million pixels a second on each of two cores.
    private static let limits = [(60e6, "ultrafast"), (25e6, "superfast")]

    /// The preset for a stream on this machine.
    static func name(_ video: VideoStreamInfo) -> String? {
        let rate = video.averageFrameRate
        return name(
            width: Int(video.geometry.uprightWidth), height: Int(video.geometry.uprightHeight),
            rate: rate.isPositive ? rate.value : nil, cores: Machine.cores)
    }

    /// - Parameters:
    ///   - rate: The frames a second; 30 if unknown.
    ///   - cores: The number of the machine's cores.
    /// - Returns: `nil` for the default preset.
    package static func name(width: Int, height: Int, rate: Double?, cores: Int) -> String? {
        let share = Double(width * height) * (rate ?? 30) / Double(max(cores, 1))
        return limits.first { share > $0.0 }?.1
    }
}

extension Muxer.Options {
    /// Creates the options of an output with the configuration's container.
    init(_ configuration: Configuration, path: String) throws(MediaError) {
        self.init(overwrite: configuration.overwrite, format: try ContainerFormat(configuration, path: path))
        timeout = configuration.input.timeout
        isLive = configuration.isLive
        addsChapters = configuration.writesChapters
    }
}

extension ContainerFormat {
    /// Returns the output's container. The configuration names it, or otherwise the path's extension selects it.
    package static func chosen(_ configuration: Configuration, path: String) throws(MediaError) -> ContainerFormat {
        let format = try ContainerFormat(configuration, path: path)
        guard let container = ContainerFormat.chosen(for: path, format: format) else {
            throw ContainerFormat.unknown(path)
        }
        return container
    }

    /// Creates the container that the configuration names; `nil` if it names none, so that the path selects the
    /// container.
    package init?(_ configuration: Configuration, path: String) throws(MediaError) {
        guard let name = configuration.outputFormat else { return nil }
        guard let format = ContainerFormat(name: name) else {
            throw MediaError(
                .invalidSettings, file: path,
                "\(path): unknown output format \(name); use one of \(ContainerFormat.names.joined(separator: ", "))"
            )
        }
        self = format
    }
}
