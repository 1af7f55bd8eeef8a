/// Finds the positions at which a stream of fragmented MP4 can be cut into two streams. The second begins with the
/// header of the first.
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
    /// The boxes before the first fragment, with which a stream is restarted: they list no samples.
    private(set) var header: [UInt8] = []
    private(set) var step = Step.show(8)
    private var hasMovie = false
    /// A Boolean value that indicates whether the stream has a box with the times of later fragments.
    private var hasIndex = false
    /// The size of the demuxer's index since the stream began.
    private var indexed = 0
    private var clock = FragmentClock()
    /// The fragment before which the stream was cut.
    private var next: Fragment?

    init(limit: Int = usual) { self.limit = limit }

    /// A Boolean value that indicates whether the part read so far consists of fragments.
    var hasFragments: Bool { clock.awaitsFragments }

    /// Returns the offset of the times of a track that is restarted, in its ticks.
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

    /// Restarts the stream that was cut, with ``header`` and the last inspected box.
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
            // Another header midway may describe other streams.
            return !hasMovie && size > 8 && size <= Self.maximum - header.count ? .show(size) : .never
        case "moof":
            return hasMovie && size > 8 && size <= Self.maximum ? .show(size) : .never
        default:
            if name == "sidx" { hasIndex = true }
            // Another first box belongs to another format; a box without a size has an unknown end.
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
        // A stream's index states times of tracks without times of their own. It cannot be predicted how the demuxer
        // treats both.
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
    /// The size of its header in bytes.
    var size: Int

    /// A Boolean value that indicates whether each track states either all of its times, or none.
    var isUniform: Bool {
        runs.allSatisfy { run in
            (runs.first { $0.track == run.track }?.time == nil) == (run.time == nil)
        }
    }
}

/// Tracks the times of a fragmented stream, for demuxers that begin in the middle. If a fragment does not state its
/// time, FFmpeg continues at the end of the track, which is 0 for a restarted demuxer.
///
/// ISO/IEC 14496-12, 8.8.12
struct FragmentClock {
    private struct Track {
        /// The duration of its samples if a fragment does not state it.
        var usualDuration: UInt32 = 0
        /// The end of the track.
        var end: Int64 = 0
        /// The end of the track according to a demuxer that has not read earlier fragments.
        var counted: Int64 = 0
        /// The offset to add to that demuxer's times.
        var offset: Int64 = 0
        /// A Boolean value that indicates whether a fragment stated its time.
        var statesTime = false
    }

    private var tracks: [UInt32: Track] = [:]
    /// A Boolean value that indicates whether the header announces fragments.
    private(set) var awaitsFragments = false

    init() {}

    /// - Parameter movie: The box `moov`.
    init(movie: [UInt8]) {
        let movie = (box: MP4Box(name: "moov", start: 0, end: movie.count), bytes: movie)
        for box in movie.box.boxes(of: movie.bytes) where box.name == "trak" {
            guard let header = box.box("tkhd", of: movie.bytes), header.content < header.end,
                let id = header.number(movie.bytes[header.content] == 1 ? 20 : 12, of: movie.bytes)
            else { continue }
            var track = Track()
            if let times = box.box("mdia/minf/stbl/stts", of: movie.bytes),
                let count = times.number(4, of: movie.bytes)
            {
                for entry in 0..<Int(count) {
                    guard let samples = times.number(8 + 8 * entry, of: movie.bytes),
                        let duration = times.number(12 + 8 * entry, of: movie.bytes)
                    else { break }
                    track.end &+= Int64(samples) &* Int64(duration)
                }
            }
            track.counted = track.end
            tracks[id] = track
        }
        let extensions = movie.box.box("mvex", of: movie.bytes)
        awaitsFragments = extensions != nil
        for box in extensions?.boxes(of: movie.bytes) ?? [] where box.name == "trex" {
            guard let id = box.number(4, of: movie.bytes), let duration = box.number(12, of: movie.bytes) else {
                continue
            }
            tracks[id]?.usualDuration = duration
        }
    }

    /// Returns a header that lists no samples. A demuxer that begins with such a header in the middle of a stream would
    /// search for the samples.
    static func withoutSamples(_ movie: [UInt8]) -> [UInt8] {
        var bytes = movie
        for track in MP4Box(name: "moov", start: 0, end: movie.count).boxes(of: movie) where track.name == "trak" {
            for table in track.box("mdia/minf/stbl", of: movie)?.boxes(of: movie) ?? [] {
                // The offset of the table's number of entries, after version and flags.
                let places = ["stts": 4, "ctts": 4, "stss": 4, "stsc": 4, "stco": 4, "co64": 4, "stsz": 8, "stz2": 8]
                guard let place = places[table.name], table.number(place, of: movie) != nil else { continue }
                for index in 0..<4 { bytes[table.content + place + index] = 0 }
            }
        }
        return bytes
    }

    /// Parses a box `moof`; nil if it is invalid.
    func fragment(_ moof: [UInt8]) -> Fragment? {
        var fragment = Fragment(size: moof.count)
        for part in MP4Box.all(of: moof, from: 8, to: moof.count) where part.name == "traf" {
            guard let header = part.box("tfhd", of: moof), let flags = header.number(0, of: moof),
                let id = header.number(4, of: moof), let track = tracks[id]
            else { return nil }
            var usual = Int64(track.usualDuration)
            if flags & 0x8 != 0 {
                let place = 8 + (flags & 0x1 != 0 ? 8 : 0) + (flags & 0x2 != 0 ? 4 : 0)
                guard let duration = header.number(place, of: moof) else { return nil }
                usual = Int64(duration)
            }
            var run = Fragment.Run(track: id, duration: 0)
            for box in part.boxes(of: moof) {
                if box.name == "tfdt" {
                    guard let time = Self.time(box, of: moof) else { return nil }
                    run.time = time
                }
                if box.name == "trun" {
                    guard let samples = Self.add(box, of: moof, usual: usual, to: &run) else { return nil }
                    fragment.samples += samples
                }
            }
            fragment.runs.append(run)
        }
        return fragment
    }

    private static func time(_ box: MP4Box, of bytes: [UInt8]) -> Int64? {
        guard let version = box.number(0, of: bytes) else { return nil }
        guard version >> 24 == 1 else { return box.number(4, of: bytes).map(Int64.init) }
        return box.longNumber(4, of: bytes).flatMap { Int64(exactly: $0) }
    }

    /// Adds the samples of a `trun`.
    ///
    /// - Returns: Their number; nil if the box is shorter than it states.
    private static func add(_ box: MP4Box, of bytes: [UInt8], usual: Int64, to run: inout Fragment.Run) -> Int? {
        guard let flags = box.number(0, of: bytes), let count = box.number(4, of: bytes) else { return nil }
        let count64 = Int64(count)
        let first = 8 + (flags & 0x1 != 0 ? 4 : 0) + (flags & 0x4 != 0 ? 4 : 0)
        let step = [0x100, 0x200, 0x400, 0x800].reduce(0) { $0 + (Int(flags) & $1 != 0 ? 4 : 0) }
        guard Int64(box.end - box.content - first) >= count64 * Int64(step) else { return nil }
        if flags & 0x100 == 0 {
            run.duration &+= count64 &* usual
        } else {
            for index in 0..<Int(count) { run.duration &+= Int64(box.number(first + step * index, of: bytes) ?? 0) }
        }
        return Int(count)
    }

    /// Returns whether a demuxer that has read all fragments since its start computes the times of a fragment
    /// correctly.
    func isRight(for fragment: Fragment) -> Bool {
        fragment.runs.allSatisfy { run in
            guard let track = tracks[run.track] else { return false }
            return run.time != nil ? track.offset == 0 : track.counted &+ track.offset == track.end
        }
    }

    /// Records a fragment that the demuxer is given.
    mutating func record(_ fragment: Fragment) {
        for run in fragment.runs {
            guard var track = tracks[run.track] else { continue }
            if let time = run.time {
                (track.end, track.counted, track.statesTime) = (time, time, true)
            }
            track.end &+= run.duration
            track.counted &+= run.duration
            tracks[run.track] = track
        }
    }

    /// Restarts the demuxer with a fragment.
    mutating func restart(with fragment: Fragment) {
        for (id, track) in tracks {
            let run = fragment.runs.first { $0.track == id }
            let statesTime = run.map { $0.time != nil } ?? track.statesTime
            tracks[id]?.offset = statesTime ? 0 : track.end
            tracks[id]?.counted = 0
        }
    }

    /// Returns the offset of a demuxer's times of a track, in ticks.
    func offset(ofTrack id: UInt32) -> Int64 { tracks[id]?.offset ?? 0 }
}
