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

    /// How much one demuxer may have to remember: some 20,000 samples.
    static let usual = 1 << 19
    /// What a demuxer keeps of a sample, in bytes (`AVIndexEntry`).
    private static let sampleSize = 24
    /// What is kept of a stream, or looked at as a whole, in bytes.
    private static let most = 1 << 24

    private let limit: Int
    /// The boxes before the first fragment, with which a stream begins anew: they name no samples.
    private(set) var header: [UInt8] = []
    private(set) var step = Step.show(8)
    private var hasMovie = false
    /// Whether a box of the stream itself tells when what follows begins.
    private var hasIndex = false
    /// What one demuxer has to remember since the stream began.
    private var indexed = 0
    private var clock = FragmentClock()
    /// The fragment before which the stream was cut.
    private var next: Fragment?

    init(limit: Int = usual) { self.limit = limit }

    /// Whether the stream is made of fragments, as far as it was read.
    var hasFragments: Bool { clock.awaitsFragments }

    /// What is missing in the times of a track that begins anew, in its ticks.
    func offset(ofTrack id: UInt32) -> Int64 { clock.offset(ofTrack: id) }

    /// Notes that bytes were given.
    mutating func pass(_ count: Int) {
        guard case .pass(let rest) = step else { return }
        step = rest > count ? .pass(rest - count) : .show(8)
    }

    /// Takes what ``step`` asked for: all of it, and not more.
    mutating func show(_ bytes: [UInt8]) {
        step =
            switch bytes.count {
            case 8: judge(bytes)
            case 16 where MP4Box.number(bytes, 0) == 1: judgeLong(bytes)
            default: keep(bytes)
            }
    }

    /// The stream that was cut begins anew: with ``header``, and what was shown last.
    mutating func goOn() {
        indexed = 0
        step = .show(8)
        guard let next else { return }
        clock.beginAnew(with: next)
        note(next)
        self.next = nil
    }

    /// What the first eight bytes of a box come to.
    private mutating func judge(_ start: [UInt8]) -> Step {
        let size = Int(MP4Box.number(start, 0)), name = MP4Box.name(start, 4)
        let isFirst = header.isEmpty
        switch name {
        case "ftyp", "moov":
            // Another header midway may be that of other streams.
            return !hasMovie && size > 8 && size <= Self.most - header.count ? .show(size) : .never
        case "moof":
            return hasMovie && size > 8 && size <= Self.most ? .show(size) : .never
        default:
            if name == "sidx" { hasIndex = true }
            // What begins with anything else is another format; of a box without a size here nobody knows where it ends.
            guard !isFirst, size >= 8 || size == 1 else { return .never }
            if size == 1 { return .show(16) }
            return size == 8 ? .show(8) : .pass(size - 8)
        }
    }

    /// What the first sixteen bytes of a box come to whose size takes eight of them.
    private func judgeLong(_ start: [UInt8]) -> Step {
        let size = MP4Box.longNumber(start, 8)
        guard size >= 16, let size = Int(exactly: size) else { return .never }
        return size == 16 ? .show(8) : .pass(size - 16)
    }

    /// What a whole box comes to.
    private mutating func keep(_ box: [UInt8]) -> Step {
        guard MP4Box.name(box, 4) == "moof" else {
            if MP4Box.name(box, 4) == "moov" {
                hasMovie = true
                clock = FragmentClock(movie: box)
                header += FragmentClock.withoutSamples(box)
            } else {
                header += box
            }
            return .show(8)
        }
        guard let fragment = clock.fragment(box) else { return .never }
        let isTold = fragment.runs.allSatisfy { $0.time != nil }
        // A stream's own index tells times of tracks that do not: what a demuxer makes of both is its own affair.
        if hasIndex, !isTold { return .never }
        let isDue = indexed + size(of: fragment) > limit && indexed > 0
        if isDue || !clock.isRight(for: fragment) {
            guard fragment.isUniform else { return .never }
            next = fragment
            return .end
        }
        note(fragment)
        return .show(8)
    }

    private mutating func note(_ fragment: Fragment) {
        indexed += size(of: fragment)
        clock.note(fragment)
    }

    private func size(of fragment: Fragment) -> Int { max(fragment.size, fragment.samples * Self.sampleSize) }
}
