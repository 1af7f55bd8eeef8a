/// Where FFmpeg's NUT demuxer is to believe that it stands in a stream in which there is no going back.
///
/// It notes the place of every syncpoint to seek by, in a tree without bound (`ff_nut_add_sp` of `libavformat/nut.c`), which
/// took 7 MB for each hour of a stream that nobody can seek in. A place that is in the tree is not noted again: so each
/// frame begins at the same one.
///
/// A syncpoint says how far back decoding would have to begin, which must not be before the stream's own beginning: so
/// the place is far from that, and is left as it is while key frames are farther apart.
struct StreamPlace {
    /// Where frames begin once so much was read, in bytes.
    static let usual: Int64 = 1 << 28
    /// What a syncpoint may look back beyond the packets that are known, in bytes.
    private static let margin: Int64 = 1 << 26

    /// By how much places are wrong.
    private var forgotten: Int64 = 0
    /// Where the last two key frames of each stream ended.
    private var keys: [Int: (earlier: Int64, last: Int64)] = [:]

    /// The place to take for the one behind a packet.
    ///
    /// - Parameter place: where FFmpeg believes to be.
    mutating func behind(_ place: Int64, stream: Int, isKey: Bool) -> Int64 {
        let actual = place + forgotten
        if isKey { keys[stream] = (keys[stream]?.last ?? actual, actual) }
        let oldest = keys.values.reduce(actual) { min($0, $1.earlier) }
        guard place > Self.usual, actual - oldest < Self.usual - Self.margin else { return place }
        forgotten += place - Self.usual
        return Self.usual
    }
}
