/// Where a stream of MP4 in fragments may be cut in two, of which the second begins with the header of the first.
///
/// FFmpeg's demuxer keeps the place of each sample of each fragment (`mov_read_trun` of `libavformat/mov.c`), some 10 MB
/// for each hour of a stream in which nobody can go back. One that begins anew knows none of them.
///
/// ISO/IEC 14496-12, 8.8
struct FragmentCut {
    /// What is to be done with the stream's next bytes.
    enum Step: Equatable {
        /// So many are given as they come, which ``pass(_:)`` counts.
        case pass(Int)
        /// So many of a box, from its beginning on, are shown to ``show(_:)`` before they are given.
        case show(Int)
        /// The stream ends before what was shown last, which is the first of the next one.
        case end
        /// It is no stream that could be cut, and need not be looked at any more.
        case never
    }

    /// How many bytes of fragments' headers one demuxer gets: some 50,000 samples, of which it keeps 24 bytes each.
    static let usual = 1 << 19
    /// What is kept of a stream, or looked at as a whole, in bytes.
    private static let most = 1 << 24

    private let limit: Int
    /// The boxes before the first fragment.
    private(set) var header: [UInt8] = []
    private(set) var step = Step.show(8)
    private var hasMovie = false
    /// Bytes of fragments' headers since the stream began.
    private var indexed = 0

    init(limit: Int = usual) { self.limit = limit }

    /// Notes that bytes were given.
    mutating func pass(_ count: Int) {
        guard case .pass(let rest) = step else { return }
        step = rest > count ? .pass(rest - count) : .show(8)
    }

    /// Takes what ``step`` asked for: all of it, and not more.
    mutating func show(_ bytes: [UInt8]) { step = bytes.count == 8 ? judge(bytes) : keep(bytes) }

    /// The stream that was cut begins anew: with ``header``, and what was shown last.
    mutating func goOn() {
        indexed = 0
        step = .show(8)
    }

    /// What the first eight bytes of a box come to.
    private mutating func judge(_ start: [UInt8]) -> Step {
        let size = Int(Self.number(start, 0)), name = Self.name(start, 4)
        let isFirst = header.isEmpty
        switch name {
        case "ftyp", "moov":
            // Another header midway may be that of other streams.
            return !hasMovie && size > 8 && size <= Self.most - header.count ? .show(size) : .never
        case "moof":
            guard hasMovie, size > 8, size <= Self.most else { return .never }
            indexed += size
            return indexed > limit ? .show(size) : .pass(size - 8)
        default:
            // What begins with anything else is another format; of a box without a size here nobody knows where it ends.
            guard !isFirst, size >= 8 else { return .never }
            return size == 8 ? .show(8) : .pass(size - 8)
        }
    }

    /// What a whole box comes to.
    private mutating func keep(_ box: [UInt8]) -> Step {
        if Self.name(box, 4) == "moof" { return Self.tellsTime(box) ? .end : .never }
        hasMovie = hasMovie || Self.name(box, 4) == "moov"
        header += box
        return .show(8)
    }

    /// Whether each track's part of a fragment tells its time, rather than to follow the fragment before.
    private static func tellsTime(_ moof: [UInt8]) -> Bool {
        boxes(of: moof, from: 8, to: moof.count).allSatisfy { track in
            track.name != "traf"
                || boxes(of: moof, from: track.start + 8, to: track.end).contains { $0.name == "tfdt" }
        }
    }

    private static func boxes(of bytes: [UInt8], from start: Int, to end: Int) -> [(name: String, start: Int, end: Int)]
    {
        var boxes: [(name: String, start: Int, end: Int)] = [], place = start
        while place + 8 <= end {
            let size = Int(number(bytes, place))
            guard size >= 8, place + size <= end else { break }
            boxes.append((name(bytes, place + 4), place, place + size))
            place += size
        }
        return boxes
    }

    private static func number(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func name(_ bytes: [UInt8], _ place: Int) -> String {
        String(decoding: bytes[place..<place + 4], as: UTF8.self)
    }
}
