import MediaIO

/// The outcome of a transcode.
struct TranscodeResult {
    var frames = 0
    var damage: [DecodingDamage] = []
    var adjustments: [PictureAdjustment] = []
    var skipped: [SkippedStream] = []
    var losses: String?
    var decoderCounts = FramePool.Counts()
    var encoderCounts = FramePool.Counts()
}

/// Transcodes a recording on one thread: decodes, optionally draws, encodes, and copies the rest.
func transcode(
    _ input: String, _ output: String,
    settings: VideoEncoderSettings = VideoEncoderSettings(preset: "ultrafast", threads: 1),
    draw: (inout VideoFrame) throws -> Void = { _ in }
) throws -> TranscodeResult {
    var result = TranscodeResult()
    let demuxer = try Demuxer(path: input)
    let decoder = try VideoDecoder(demuxer, threads: 2)
    let muxer = try Muxer(path: output, copying: demuxer)
    let encoder = VideoEncoder(
        settings: settings, source: demuxer.video, container: muxer.container, path: output)

    func encodeWhatIsDecoded() throws {
        while var frame = try decoder.receive() {
            result.frames += 1
            try draw(&frame)
            try encoder.send(frame)
            if !muxer.hasBegun { try muxer.begin(encoder.header()) }
            while let packet = try encoder.receive() { try muxer.write(packet) }
        }
    }
    while let packet = try demuxer.readPacket() {
        if packet.streamIndex == demuxer.video.index {
            try decoder.send(packet)
            try encodeWhatIsDecoded()
        } else {
            try muxer.write(packet)
        }
    }
    try decoder.finish()
    try encodeWhatIsDecoded()
    try encoder.finish()
    while let packet = try encoder.receive() { try muxer.write(packet) }
    try muxer.complete()
    result.losses = muxer.losses()
    try muxer.finish()
    result.damage = decoder.dequeueDamage()
    result.adjustments = encoder.dequeueAdjustments()
    result.skipped = muxer.skippedStreams
    result.decoderCounts = decoder.pool.counts
    result.encoderCounts = encoder.pool.counts
    return result
}
