internal import CFFmpeg

/// A coded part of a stream, passed between demuxer, codecs and muxer.
///
/// A packet has one owner. Its data is shared with FFmpeg by reference count and never copied.
@safe
package struct Packet: ~Copyable, @unchecked Sendable {
    let av: UnsafeMutablePointer<AVPacket>

    /// - Precondition: The packet is not owned elsewhere.
    init(owned: UnsafeMutablePointer<AVPacket>) {
        unsafe av = unsafe owned
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe av
        unsafe av_packet_free(&packet)
    }

    /// The stream's index in its file. Packets of a video encoder have the index of the source's video stream.
    package var streamIndex: Int { unsafe Int(av.pointee.stream_index) }

    package var timeBase: TimeBase { unsafe Rational(av.pointee.time_base) }

    /// The presentation time; nil if the file does not state it.
    package var presentationTime: MediaTime? { unsafe time(av.pointee.pts) }

    /// The decoding time; nil if the file does not state it.
    package var decodingTime: MediaTime? { unsafe time(av.pointee.dts) }

    package var duration: MediaTime? {
        unsafe av.pointee.duration > 0 ? time(av.pointee.duration) : nil
    }

    package var isKeyFrame: Bool { unsafe av.pointee.flags & AV_PKT_FLAG_KEY != 0 }

    /// True if the demuxer detected missing or damaged data.
    package var isCorrupt: Bool { unsafe av.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 }

    /// True if the content is decoded, but not shown, because an edit list cuts it off.
    package var isHidden: Bool { unsafe av.pointee.flags & AV_PKT_FLAG_DISCARD != 0 }

    /// The size in bytes.
    package var size: Int { unsafe Int(av.pointee.size) }

    /// Lends the coded bytes to a closure.
    package func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        let bytes = unsafe UnsafeBufferPointer(start: UnsafePointer(av.pointee.data), count: size)
        return try unsafe body(bytes.span)
    }

    /// A copy of the coded bytes.
    package var bytes: [UInt8] { unsafe Array(UnsafeBufferPointer(start: av.pointee.data, count: size)) }

    /// The quantiser that the encoder reports for this frame, if any (`AV_PKT_DATA_QUALITY_STATS`). For libx264 and
    /// libx265 it is the mean QP.
    package var quantiser: Double? {
        var size = 0
        guard let data = unsafe av_packet_get_side_data(av, AV_PKT_DATA_QUALITY_STATS, &size), size >= 4
        else { return nil }
        let bits = unsafe UnsafeRawPointer(data).loadUnaligned(as: UInt32.self)
        // libx264 reports −1 for a frame with an unknown quantiser.
        let quality = Int32(bitPattern: UInt32(littleEndian: bits))
        return quality >= 0 ? Double(quality) / Double(FF_QP2LAMBDA) : nil
    }

    /// Adds ticks to the known times. Times of a damaged file may overflow, and wrap.
    borrowing func move(by ticks: Int64) {
        if decodingTime != nil { unsafe av.pointee.dts &+= ticks }
        if presentationTime != nil { unsafe av.pointee.pts &+= ticks }
    }

    /// Returns another packet that shares the data.
    package borrowing func shared() throws(MediaError) -> Packet {
        guard let copy = unsafe av_packet_clone(av) else { throw .outOfMemory("") }
        return unsafe Packet(owned: copy)
    }

    /// Returns the packet with other bytes.
    consuming func replacing(_ bytes: [UInt8]) throws(MediaError) -> Packet {
        guard let fresh = unsafe av_packet_alloc() else { throw .outOfMemory("") }
        let result = unsafe Packet(owned: fresh)
        guard unsafe av_new_packet(fresh, Int32(bytes.count)) >= 0, unsafe av_packet_copy_props(fresh, av) >= 0 else {
            throw .outOfMemory("")
        }
        for i in bytes.indices { unsafe fresh.pointee.data[i] = bytes[i] }
        return result
    }

    /// Marks the packet as one at which decoding cannot begin.
    func clearKeyFrame() { unsafe av.pointee.flags &= ~AV_PKT_FLAG_KEY }

    /// Sets the decoding time and the duration, in ticks of the packet's time base.
    package func time(decoding: Int64, duration: Int64? = nil) {
        unsafe av.pointee.dts = decoding
        if let duration { unsafe av.pointee.duration = duration }
    }

    private func time(_ value: Int64) -> MediaTime? {
        guard value != cffmpeg_no_pts, timeBase.isPositive else { return nil }
        return MediaTime(value: value, timeBase: timeBase)
    }
}

/// Holds a packet, which is noncopyable, in an array.
///
/// Used by one thread at a time.
package final class QueuedPacket: @unchecked Sendable {
    package var packet: Packet?
    package init(_ packet: consuming Packet) { self.packet = consume packet }

    /// The stream of the packet; nil once it was removed.
    var streamIndex: Int? {
        guard let waiting = packet.take() else { return nil }
        let index = waiting.streamIndex
        packet = consume waiting
        return index
    }
}
