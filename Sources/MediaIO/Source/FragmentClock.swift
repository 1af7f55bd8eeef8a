/// Tracks the times of fragmented MP4, so that times remain correct when the demuxer is restarted in the middle of a
/// stream. A fragment need not state its time. FFmpeg then assumes the end of the samples that the demuxer has read,
/// which is 0 after a restart. The clock computes the offset to add.
///
/// ISO/IEC 14496-12, 8.8.12
struct FragmentClock {
    private struct Track {
        /// The duration of a sample if the fragment does not state it, in ticks.
        var usualDuration: UInt32 = 0
        /// The end of the last sample so far, in ticks.
        var end: Int64 = 0
        /// The end of the last sample as the present demuxer computes it, which has only read fragments since its
        /// start.
        var counted: Int64 = 0
        /// The offset to add to the present demuxer's times.
        var offset: Int64 = 0
        /// True if a fragment stated its time.
        var statesTime = false
    }

    private var tracks: [UInt32: Track] = [:]
    /// True if the header announces fragments.
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

    /// Returns a copy of the header without its lists of samples. A demuxer that is restarted in the middle of a stream
    /// would search for listed samples.
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

    /// Parses a box `moof`; returns nil if it is invalid.
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
    /// - Returns: The number of samples; nil if the box is shorter than its header states.
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

    /// Returns whether the present demuxer, with the present offsets, computes the times of the next fragment
    /// correctly.
    func isRight(for fragment: Fragment) -> Bool {
        fragment.runs.allSatisfy { run in
            guard let track = tracks[run.track] else { return false }
            return run.time != nil ? track.offset == 0 : track.counted &+ track.offset == track.end
        }
    }

    /// Records a fragment that is passed to the demuxer.
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

    /// Determines the offsets for a demuxer that is restarted with a fragment.
    mutating func restart(with fragment: Fragment) {
        for (id, track) in tracks {
            let run = fragment.runs.first { $0.track == id }
            let statesTime = run.map { $0.time != nil } ?? track.statesTime
            tracks[id]?.offset = statesTime ? 0 : track.end
            tracks[id]?.counted = 0
        }
    }

    /// Returns the offset to add to the present demuxer's times of a track, in ticks.
    func offset(ofTrack id: UInt32) -> Int64 { tracks[id]?.offset ?? 0 }
}
