import MediaIO

/// Decodes the first packets of a span as they leave the encoder, by the encoder's own header.
///
/// The finished file must decode to the same frames: there the packets refer to parameter sets beside the source's, and
/// stand in another framing.
struct OpeningDecoder {
    private let loop: DecodingLoop
    private let timeBase: TimeBase
    private var count = 0
    private var frames: [SpliceCheck.Witness] = []

    init(_ decoder: VideoDecoder, timeBase: TimeBase) {
        loop = DecodingLoop(decoder)
        self.timeBase = timeBase
    }

    /// Decodes the next packet; those after the first ``SpliceCheck/openingPackets`` are ignored.
    mutating func add(_ packet: borrowing Packet) throws {
        guard count < SpliceCheck.openingPackets else { return }
        count += 1
        try loop.push(packet) { collect($0) }
    }

    /// Returns the frames that the file must decode to.
    ///
    /// - Throws: ``SpliceObstacle`` where the encoder's own packets do not decode cleanly.
    mutating func finish() throws -> [SpliceCheck.Witness] {
        try loop.finish { collect($0) }
        guard loop.decoder.takeDamage().isEmpty else { throw SpliceObstacle("its encoder's packets cannot be decoded") }
        return frames
    }

    private mutating func collect(_ frame: borrowing VideoFrame) {
        frames.append(.init(time: frame.time.rescaled(to: timeBase).value, checksum: frame.checksum))
    }
}
