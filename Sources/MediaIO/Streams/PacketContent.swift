internal import CFFmpeg

/// All that an encoder said of a picture, to be kept outside of the program and made a packet again.
package struct PacketContent: Sendable, Hashable, Codable {
    /// When the picture is shown, and how long, in ticks of its stream.
    package var presentationTime: Int64
    package var duration: Int64
    /// FFmpeg's `AV_PKT_FLAG_…`.
    private var flags: Int32
    /// The others are FFmpeg's own affair: one says that the packet's bytes are an address.
    private static let knownFlags = AV_PKT_FLAG_KEY | AV_PKT_FLAG_DISCARD | AV_PKT_FLAG_DISPOSABLE
    /// The encoder's quality as FFmpeg keeps it (`AV_PKT_DATA_QUALITY_STATS`); `nil` where it does not say.
    private var quality: Int32?
    /// In bytes.
    package var size: Int

    /// - Returns: `nil` for a packet that does not say when it is shown.
    package init?(_ packet: borrowing Packet) {
        guard let time = packet.presentationTime else { return nil }
        presentationTime = time.value
        duration = packet.duration?.value ?? 0
        flags = unsafe packet.av.pointee.flags & Self.knownFlags
        quality = packet.quality
        size = packet.size
    }

    /// The packet, in a stream.
    ///
    /// - Parameter bytes: ``size`` of them.
    package func packet(of bytes: ArraySlice<UInt8>, in stream: VideoStreamInfo) throws(MediaError) -> Packet {
        guard let fresh = unsafe av_packet_alloc() else { throw .outOfMemory("") }
        let packet = unsafe Packet(owned: fresh)
        guard unsafe av_new_packet(fresh, Int32(bytes.count)) >= 0 else { throw .outOfMemory("") }
        for (index, byte) in bytes.enumerated() { unsafe fresh.pointee.data[index] = byte }
        unsafe fresh.pointee.stream_index = Int32(stream.index)
        unsafe fresh.pointee.time_base = stream.timeBase.avRational
        unsafe fresh.pointee.pts = presentationTime
        unsafe fresh.pointee.duration = duration
        unsafe fresh.pointee.flags = flags
        if let quality {
            guard let data = unsafe av_packet_new_side_data(fresh, AV_PKT_DATA_QUALITY_STATS, 8) else {
                throw .outOfMemory("")
            }
            unsafe data.update(repeating: 0, count: 8)
            unsafe UnsafeMutableRawPointer(data).storeBytes(
                of: UInt32(bitPattern: quality).littleEndian, as: UInt32.self)
        }
        return packet
    }
}

extension PacketContent {
    /// It is one of thousands in a file, so it is a list of numbers there.
    package init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        presentationTime = try list.decode(Int64.self)
        duration = try list.decode(Int64.self)
        flags = try list.decode(Int32.self)
        quality = try list.decodeNil() ? nil : try list.decode(Int32.self)
        size = try list.decode(Int.self)
        guard (0...Int(Int32.max)).contains(size), duration >= 0, flags & ~Self.knownFlags == 0 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: list.codingPath, debugDescription: "there is no such packet"))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(presentationTime)
        try list.encode(duration)
        try list.encode(flags)
        if let quality { try list.encode(quality) } else { try list.encodeNil() }
        try list.encode(size)
    }
}
