internal import CFFmpeg

/// Sound that is announced by a stream and comes a little later than its pictures.
///
/// Streams are opened in haste, so that the first picture comes out soon. What FFmpeg has not met by then it
/// does not know, and most containers need its parameters in their headers.
extension Demuxer {
    /// How far such a stream is read on, in seconds: FFmpeg's own default where nobody is in haste.
    static let longestWait = 5.0
    /// At most so many bytes are read, and kept until they are asked for.
    private static let mostBytes = 50_000_000

    /// Reads on until something of each announced sound has come, and learns from it what it is.
    ///
    /// - Parameter clocks: those of the sound that is not known, by the streams' places.
    /// - Returns: what was read, in order.
    @unsafe
    static func awaitSound(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ clocks: [Int: SoundClock], _ watch: IOWatch
    ) throws(MediaError) -> [QueuedPacket] {
        var packets: [QueuedPacket] = []
        var first: Double?
        var bytes = 0
        while unsafe hasUnknownSound(context), bytes < mostBytes {
            guard let packet = unsafe av_packet_alloc() else { throw .outOfMemory("") }
            let owned = unsafe Packet(owned: packet)
            watch.begin()
            // The end, or what went wrong, is met again by whoever reads on.
            guard unsafe av_read_frame(context, packet) >= 0 else { break }
            let stream = unsafe context.pointee.streams[Int(packet.pointee.stream_index)]!
            unsafe packet.pointee.time_base = stream.pointee.time_base
            bytes += owned.size
            clocks[owned.streamIndex]?.add(owned)
            let time = owned.decodingTime?.seconds
            packets.append(QueuedPacket(owned))
            first = first ?? time
            if let time, let first, time - first > longestWait { break }
        }
        return packets
    }

    /// Clocks for the sound of which nothing is known yet, by the streams' places.
    @unsafe
    static func soundClocks(_ context: UnsafeMutablePointer<AVFormatContext>) -> [Int: SoundClock] {
        var clocks: [Int: SoundClock] = [:]
        for index in 0..<Int(unsafe context.pointee.nb_streams) {
            let stream = unsafe context.pointee.streams[index]!
            if unsafe isUnknownSound(stream) { clocks[index] = unsafe SoundClock(stream.pointee.codecpar) }
        }
        return clocks
    }

    /// Whether a stream of sound was announced, but none of it met so far.
    @unsafe
    static func hasUnknownSound(_ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
        (0..<Int(unsafe context.pointee.nb_streams)).contains { unsafe isUnknownSound(context.pointee.streams[$0]!) }
    }

    @unsafe
    static func isUnknownSound(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        let parameters = unsafe stream.pointee.codecpar!
        return unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO && parameters.pointee.sample_rate == 0
    }
}
