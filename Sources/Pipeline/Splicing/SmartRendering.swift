package import MediaIO
import Platform

/// Whether a run may copy what no effect touches.
package enum SmartRendering {
    /// What can be said before the recording is read.
    ///
    /// - Returns: why the whole must be encoded; `nil` where it need not.
    package static func obstacle(_ request: PipelineRequest) -> SpliceObstacle? {
        let configuration = request.configuration
        if let obstacle = obstacleToReadingTwice(request) { return obstacle }
        guard request.writesFile else { return SpliceObstacle("the output is no file") }
        return obstacle(configuration.encoding)
    }

    /// The obstacle that an option of the encoder is: it asks for another encoding of the whole.
    package static func obstacle(_ encoding: EncodingOptions) -> SpliceObstacle? {
        option(encoding).map { SpliceObstacle("\($0) is for the whole video") }
    }

    /// Whether all that will be shown can be known before anything is written.
    package static func readsTwice(_ request: PipelineRequest) -> Bool { obstacleToReadingTwice(request) == nil }

    private static func obstacleToReadingTwice(_ request: PipelineRequest) -> SpliceObstacle? {
        let configuration = request.configuration
        if configuration.isLive { return SpliceObstacle("a live run goes frame by frame") }
        if configuration.isSteered { return SpliceObstacle("--control and --panel steer it while it runs") }
        guard RecordedFile.size(of: request.input) != nil else {
            return SpliceObstacle("the input is no file that could be read twice")
        }
        if let photos = configuration.photos, photos.content != .clean {
            return SpliceObstacle("photographs with effects are taken while all is drawn")
        }
        if configuration.measuresLatency { return SpliceObstacle("--stats measures each frame's way") }
        return nil
    }

    /// What can be said of the opened recording and its output.
    package static func obstacle(_ demuxer: Demuxer, container: ContainerFormat) -> SpliceObstacle? {
        // In their own container times stay what they are.
        if demuxer.formatName == "avi", container != .avi {
            return SpliceObstacle("AVI does not say when each picture is shown")
        }
        if demuxer.isStillImage { return SpliceObstacle("the input is one picture") }
        if container == .avi || container == .flv, demuxer.formatName != container.rawValue {
            return SpliceObstacle("\(container.displayName) keeps no exact times")
        }
        return Muxer.obstacle(toCopyingVideoOf: demuxer, into: container).map { SpliceObstacle($0) }
    }

    /// The option that asks for another encoding of the whole.
    private static func option(_ encoding: EncodingOptions) -> String? {
        let wishes = [
            ("--codec", encoding.namesCodec), ("--crf", encoding.crf != nil), ("--bitrate", encoding.bitrate != nil),
            ("--max-frame-qp", encoding.maxFrameQP != nil), ("--preset", encoding.preset != nil),
            ("--pixel-format", encoding.pixelFormat != nil),
        ]
        return wishes.first(where: \.1)?.0
    }

    /// The longest share of the frames that may be encoded again: beyond, copying the rest is worth little.
    static let mostShare = 0.8
}
