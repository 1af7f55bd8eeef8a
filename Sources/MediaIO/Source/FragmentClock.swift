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
