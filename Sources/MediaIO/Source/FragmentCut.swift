/// Finds the positions at which a stream of fragmented MP4 can be cut in two. FFmpeg's demuxer is restarted at the cut,
/// and reads the header of the first part again.
///
/// FFmpeg's demuxer stores the position of each sample of each fragment (`mov_read_trun` of `libavformat/mov.c`): about
/// 10 MB for each hour of a stream that cannot seek. A restarted demuxer starts with none.
///
/// ISO/IEC 14496-12, 8.8
struct FragmentCut {
    /// The handling of the stream's next bytes.
    enum Step: Equatable {
        /// This number of bytes is passed on unchanged, and counted by ``pass(_:)``.
        case pass(Int)
        /// This number of bytes at the beginning of a box is inspected by ``show(_:)`` before it is passed on.
        case show(Int)
        /// The stream ends before the last inspected box. The next stream begins with that box.
        case end
        /// The stream cannot be cut, and is not inspected any more.
        case never
    }

    /// The maximum size of one demuxer's index in bytes: about 20,000 samples.
    static let usual = 1 << 19
    /// The size of a sample in a demuxer's index, in bytes (`AVIndexEntry`).
    private static let sampleSize = 24
    /// The maximum size of the header, or of a box that is inspected as a whole, in bytes.
    private static let maximum = 1 << 24

    private let limit: Int
    /// The boxes before the first fragment, without their lists of samples. A restarted stream begins with these boxes.
    private(set) var header: [UInt8] = []
    private(set) var step = Step.show(8)
    private var hasMovie = false
    /// True if the stream has an index box (`sidx`), which states the times of later fragments.
    private var hasIndex = false
    /// The estimated size of the present demuxer's index, in bytes.
    private var indexed = 0
    private var clock = FragmentClock()
    /// The fragment before which the stream was cut.
    private var next: Fragment?

    init(limit: Int = usual) { self.limit = limit }

    /// True if the header was read and announces fragments.
    var hasFragments: Bool { clock.awaitsFragments }

    /// Returns the offset to add to a track's times after a restart, in the track's ticks.
    func offset(ofTrack id: UInt32) -> Int64 { clock.offset(ofTrack: id) }

    /// Counts bytes that were passed on.
    mutating func pass(_ count: Int) {
        guard case .pass(let rest) = step else { return }
        step = rest > count ? .pass(rest - count) : .show(8)
    }

    /// Inspects exactly the bytes that ``step`` requested.
    mutating func show(_ bytes: [UInt8]) {
        step =
            switch bytes.count {
            case 8: classify(bytes)
            case 16 where MP4Box.number(bytes, 0) == 1: classifyLong(bytes)
            default: keep(bytes)
            }
    }

    /// Prepares for the rest of the stream after a cut. The caller passes on ``header`` and the last inspected box
    /// first.
    mutating func restart() {
        indexed = 0
        step = .show(8)
        guard let next else { return }
        clock.restart(with: next)
        record(next)
        self.next = nil
    }

    /// Returns the step after the first eight bytes of a box.
    private mutating func classify(_ start: [UInt8]) -> Step {
        let size = Int(MP4Box.number(start, 0)), name = MP4Box.name(start, 4)
        let isFirst = header.isEmpty
        switch name {
        case "ftyp", "moov":
            // A second header may describe other streams, so the stream is not cut.
            return !hasMovie && size > 8 && size <= Self.maximum - header.count ? .show(size) : .never
        case "moof":
            return hasMovie && size > 8 && size <= Self.maximum ? .show(size) : .never
        default:
            if name == "sidx" { hasIndex = true }
            // A stream with any other first box has another format. The end of a box without a size is unknown.
            guard !isFirst, size >= 8 || size == 1 else { return .never }
            if size == 1 { return .show(16) }
            return size == 8 ? .show(8) : .pass(size - 8)
        }
    }

    /// Returns the step after the first sixteen bytes of a box with a size of eight bytes.
    private func classifyLong(_ start: [UInt8]) -> Step {
        let size = MP4Box.longNumber(start, 8)
        guard size >= 16, let size = Int(exactly: size) else { return .never }
        return size == 16 ? .show(8) : .pass(size - 16)
    }

    /// Returns the step after a whole box.
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
        let statesTimes = fragment.runs.allSatisfy { $0.time != nil }
        // The index box then gives times to fragments that state none. How the demuxer combines it with restarts cannot
        // be predicted.
        if hasIndex, !statesTimes { return .never }
        let isDue = indexed + size(of: fragment) > limit && indexed > 0
        if isDue || !clock.isRight(for: fragment) {
            guard fragment.isUniform else { return .never }
            next = fragment
            return .end
        }
        record(fragment)
        return .show(8)
    }

    private mutating func record(_ fragment: Fragment) {
        indexed += size(of: fragment)
        clock.record(fragment)
    }

    private func size(of fragment: Fragment) -> Int { max(fragment.size, fragment.samples * Self.sampleSize) }
}

/// The times of a fragment's samples.
struct Fragment {
    /// The consecutive samples of a track.
    struct Run {
        var track: UInt32
        /// The start of the samples, in the track's ticks; nil if they follow the previous fragment.
        var time: Int64?
        /// The duration of the samples.
        var duration: Int64
    }

    var runs: [Run] = []
    var samples = 0
    /// The size of the box `moof` in bytes.
    var size: Int

    /// True if each track states the times of all of its runs, or of none.
    var isUniform: Bool {
        runs.allSatisfy { run in
            (runs.first { $0.track == run.track }?.time == nil) == (run.time == nil)
        }
    }
}
