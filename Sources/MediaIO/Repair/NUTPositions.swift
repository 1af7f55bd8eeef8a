internal import CFFmpeg

/// Limits the memory of FFmpeg's NUT demuxer for an input without seeking, by the position that it sees.
///
/// The demuxer records the position of every syncpoint for seeking, in an unbounded tree (`ff_nut_add_sp` of
/// `libavformat/nut.c`): 7 MB for each hour. A known position is not recorded again, so each frame is reported to begin
/// at the same position.
///
/// A syncpoint states how far back decoding would have to begin, which must not be before the stream's beginning. So
/// the reported position is far from the beginning, ``usual``. The reported position grows only while key frames are
/// farther apart.
final class NUTPositions: PacketFilter {
    /// The position, in bytes, that is reported for all packets beyond the first `usual` bytes.
    static let usual: Int64 = 1 << 28
    /// The maximum distance to which a syncpoint may refer beyond the known packets, in bytes.
    private static let margin: Int64 = 1 << 26

    /// The difference between actual and reported positions, in bytes.
    private var forgotten: Int64 = 0
    /// The ends of the last two key frames of each stream.
    private var keys: [Int: (earlier: Int64, last: Int64)] = [:]

    func add(_ packet: consuming Packet, of input: InputContext) -> Packet? {
        if let io = unsafe input.pointer.pointee.pb {
            let ahead = unsafe Int64(io.pointee.buf_end - io.pointee.buf_ptr)
            let place = unsafe io.pointee.pos - ahead
            let reported = position(behind: place, stream: packet.streamIndex, isKey: packet.isKeyFrame)
            unsafe io.pointee.pos = reported + ahead
        }
        return packet
    }

    /// Returns the position to report for the end of a packet.
    ///
    /// - Parameter place: FFmpeg's present position.
    func position(behind place: Int64, stream: Int, isKey: Bool) -> Int64 {
        let actual = place + forgotten
        if isKey { keys[stream] = (keys[stream]?.last ?? actual, actual) }
        let oldest = keys.values.reduce(actual) { min($0, $1.earlier) }
        guard place > Self.usual, actual - oldest < Self.usual - Self.margin else { return place }
        forgotten += place - Self.usual
        return Self.usual
    }
}
