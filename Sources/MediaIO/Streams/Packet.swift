internal import CFFmpeg
internal import Platform

/// A coded part of a stream, passed between demuxer, codecs and muxer.
///
/// A packet has one owner. Its data is shared with FFmpeg by reference count and never copied.
package struct Packet: ~Copyable, @unchecked Sendable {
    let av: PacketHandle

    /// - Precondition: The packet has data and a time base.
    init(_ handle: consuming PacketHandle) { av = handle }

    /// The stream's index in its file. Packets of a video encoder have the index of the source's video stream.
    package var streamIndex: Int { Int(av.stream_index) }

    package var timeBase: TimeBase { Rational(av.time_base) }

    /// The presentation time; nil if the file does not state it.
    package var presentationTime: MediaTime? { time(av.pts) }

    /// The decoding time; nil if the file does not state it.
    package var decodingTime: MediaTime? { time(av.dts) }

    package var duration: MediaTime? { av.duration > 0 ? time(av.duration) : nil }

    package var isKeyFrame: Bool { av.flags & AV_PKT_FLAG_KEY != 0 }

    /// True if the demuxer detected missing or damaged data.
    package var isCorrupt: Bool { av.flags & AV_PKT_FLAG_CORRUPT != 0 }

    /// True if the content is decoded, but not shown, because an edit list cuts it off.
    package var isHidden: Bool { av.flags & AV_PKT_FLAG_DISCARD != 0 }

    /// The size in bytes.
    package var size: Int { Int(av.size) }

    /// Lends the coded bytes to a closure.
    package func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try av.withBytes(body)
    }

    /// A copy of the coded bytes.
    package var bytes: [UInt8] { av.bytes }

    /// The quantiser that the encoder reports for this frame, if any (`AV_PKT_DATA_QUALITY_STATS`). For libx264 and
    /// libx265 it is the mean QP.
    package var quantiser: Double? {
        guard let value = av.sideData(AV_PKT_DATA_QUALITY_STATS)?.littleEndian(at: 0, count: 4) else { return nil }
        // libx264 reports −1 for a frame with an unknown quantiser.
        let quality = Int32(truncatingIfNeeded: value)
        return quality >= 0 ? Double(quality) / Double(FF_QP2LAMBDA) : nil
    }

    /// The header that applies from this packet on; nil if it is the same as before. Files of QuickTime's family may
    /// have several.
    ///
    /// `AV_PKT_DATA_NEW_EXTRADATA`
    var newHeader: [UInt8]? { av.sideData(AV_PKT_DATA_NEW_EXTRADATA) }

    /// Adds ticks to the known times. Times of a damaged file may overflow, and wrap.
    borrowing func move(by ticks: Int64) {
        if decodingTime != nil { av.dts &+= ticks }
        if presentationTime != nil { av.pts &+= ticks }
    }

    /// Returns another packet that shares the data.
    package borrowing func shared() throws(MediaError) -> Packet { Packet(try av.shared()) }

    /// Returns the packet with other bytes.
    consuming func replacing(_ bytes: [UInt8]) throws(MediaError) -> Packet {
        let fresh = try PacketHandle.holding(bytes)
        try fresh.copyProperties(of: av)
        return Packet(fresh)
    }

    /// Marks the packet as one at which decoding cannot begin.
    func clearKeyFrame() { av.flags &= ~AV_PKT_FLAG_KEY }

    /// Sets the decoding time and the duration, in ticks of the packet's time base.
    package func time(decoding: Int64, duration: Int64? = nil) {
        av.dts = decoding
        if let duration { av.duration = duration }
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
    var streamIndex: Int? { packet?.streamIndex }
}
