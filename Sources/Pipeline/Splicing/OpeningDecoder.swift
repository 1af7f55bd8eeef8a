import MediaIO

/// Decodes the first packets of a segment, and those of its ending, as they leave the encoder, with the encoder's own
/// header.
///
/// The finished file must decode to the same frames, although it also contains the source's parameter sets, and stores
/// packets with another framing.
struct OpeningDecoder {
    private let loop: DecodingLoop
    private let timeBase: TimeBase
    private var count = 0
    private var frames: [SpliceCheck.BoundaryFrame] = []

    init(_ decoder: VideoDecoder, timeBase: TimeBase) {
        loop = DecodingLoop(decoder)
        self.timeBase = timeBase
    }

    /// Decodes the next packet. Packets after the first ``SpliceCheck/openingPackets`` are ignored.
    ///
    /// - Parameter isNeeded: Whether the packet must be decoded in any case.
    mutating func add(_ packet: borrowing Packet, isNeeded: Bool) throws {
        guard count < SpliceCheck.openingPackets || isNeeded else { return }
        count += 1
        try loop.push(packet) { collect($0) }
    }

    /// Returns the frames to which the file must decode.
    ///
    /// - Throws: ``SmartRenderUnavailable`` if the encoder's own packets do not decode cleanly.
    mutating func finish() throws -> [SpliceCheck.BoundaryFrame] {
        try loop.finish { collect($0) }
        guard loop.decoder.dequeueDamage().isEmpty else {
            throw SmartRenderUnavailable("its encoder's packets cannot be decoded")
        }
        return frames
    }

    private mutating func collect(_ frame: borrowing VideoFrame) {
        frames.append(.init(time: frame.time.rescaled(to: timeBase).value, checksum: frame.checksum))
    }
}
