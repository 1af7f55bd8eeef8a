import MediaIO

/// What goes to the muxer.
enum OutputItem: ~Copyable, Sendable {
    /// What the encoded video is. It comes before the first of its packets; those of other streams may come earlier.
    case header(VideoHeader)
    /// A packet of any stream.
    case packet(Packet)
}
