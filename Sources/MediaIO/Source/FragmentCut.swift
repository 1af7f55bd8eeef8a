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

/// What a fragment says of its samples' times.
struct Fragment {
    /// The samples of a track that follow each other.
    struct Run {
        var track: UInt32
        /// When they begin, in the track's ticks; nil where they follow those of the fragment before.
        var time: Int64?
        /// How long they last.
        var duration: Int64
    }

    var runs: [Run] = []
    var samples = 0
    /// Of its header, in bytes.
    var size: Int

    /// Whether each track tells its times everywhere in it, or nowhere.
    var isUniform: Bool {
        runs.allSatisfy { run in
            (runs.first { $0.track == run.track }?.time == nil) == (run.time == nil)
        }
    }
}

/// Counts when the tracks of a stream in fragments go on, for demuxers that begin in the middle of it: where a fragment does
/// not tell its time, FFmpeg has a track go on where it ended, which is 0 for who has read nothing.
///
/// ISO/IEC 14496-12, 8.8.12
struct FragmentClock {
    private struct Track {
        /// What its samples last where a fragment does not say.
        var usualDuration: UInt32 = 0
        /// Where it ended.
        var end: Int64 = 0
        /// Where it ended for a demuxer that does not know what came before.
        var counted: Int64 = 0
        /// What that demuxer's times lack.
        var offset: Int64 = 0
        /// Whether a fragment told when it goes on.
        var tells = false
    }

    private var tracks: [UInt32: Track] = [:]
    /// Whether the header announces fragments.
    private(set) var awaitsFragments = false

    init() {}

    /// - Parameter movie: the box `moov`.
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

    /// A header that names no samples: a demuxer that begins with it in the middle of a stream would look for them.
    static func withoutSamples(_ movie: [UInt8]) -> [UInt8] {
        var bytes = movie
        for track in MP4Box(name: "moov", start: 0, end: movie.count).boxes(of: movie) where track.name == "trak" {
            for table in track.box("mdia/minf/stbl", of: movie)?.boxes(of: movie) ?? [] {
                // Where the table's number of entries stands behind version and flags.
                let places = ["stts": 4, "ctts": 4, "stss": 4, "stsc": 4, "stco": 4, "co64": 4, "stsz": 8, "stz2": 8]
                guard let place = places[table.name], table.number(place, of: movie) != nil else { continue }
                for index in 0..<4 { bytes[table.content + place + index] = 0 }
            }
        }
        return bytes
    }

    /// Reads a box `moof`; nil where it makes no sense.
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

    /// Adds what a `trun` lists. - Returns: how many samples that are; nil where it is shorter than it says.
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

    /// Whether a demuxer that has read on since it began gets a fragment's times right.
    func isRight(for fragment: Fragment) -> Bool {
        fragment.runs.allSatisfy { run in
            guard let track = tracks[run.track] else { return false }
            return run.time != nil ? track.offset == 0 : track.counted &+ track.offset == track.end
        }
    }

    /// Notes what a demuxer is given.
    mutating func note(_ fragment: Fragment) {
        for run in fragment.runs {
            guard var track = tracks[run.track] else { continue }
            if let time = run.time {
                (track.end, track.counted, track.tells) = (time, time, true)
            }
            track.end &+= run.duration
            track.counted &+= run.duration
            tracks[run.track] = track
        }
    }

    /// A demuxer that knows nothing begins with a fragment.
    mutating func beginAnew(with fragment: Fragment) {
        for (id, track) in tracks {
            let run = fragment.runs.first { $0.track == id }
            let tells = run.map { $0.time != nil } ?? track.tells
            tracks[id]?.offset = tells ? 0 : track.end
            tracks[id]?.counted = 0
        }
    }

    /// What a demuxer's times of a track lack, in ticks.
    func offset(ofTrack id: UInt32) -> Int64 { tracks[id]?.offset ?? 0 }
}
