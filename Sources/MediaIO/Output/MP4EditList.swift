internal import CFFmpeg
import Platform

/// Shortens the shown part of a track in a finished MP4 or QuickTime file, by overwriting its edit list.
///
/// libavformat's edit list ends with the last sample (`mov_write_edts_tag` in `libavformat/movenc.c`), so it cannot
/// hide samples at the end. Only durations in the boxes `elst`, `tkhd` and `mvhd` change, in place.
enum MP4EditList {
    /// The times of a track's samples, in ticks of its time base.
    struct Track: Sendable {
        /// The track's id, counted from 1.
        var id: UInt32
        var timeBase: TimeBase
        /// The presentation time of the first sample, the end of the last sample to show, and the end of the last
        /// sample.
        var start: Int64
        var shownEnd: Int64
        var end: Int64
    }

    /// The maximum size of the box `moov` in bytes. Larger boxes are not changed, because a box is read as a whole.
    private static let largest = 1 << 30

    /// Hides the samples after a track's ``Track/shownEnd``.
    ///
    /// - Parameter file: A file with its index in a box `moov`, not in fragments.
    /// - Returns: false if the file has no such edit list; the file is then unchanged.
    /// - throws: ``MediaError`` of the codes `io` and `unwritable`.
    static func hideEnd(of track: Track, in file: String) throws(MediaError) -> Bool {
        guard let descriptor = try? RawFile.open(Array(file.utf8), O_RDWR) else {
            throw .writing(file, status: cffmpeg_averror(errno))
        }
        defer { close(descriptor) }
        guard let box = MP4FileBox.all(of: descriptor, through: "moov").last, box.name == "moov",
            box.range.count <= largest
        else { return false }
        var bytes = [UInt8](repeating: 0, count: box.range.count)
        let start = off_t(box.range.lowerBound)
        guard unsafe pread(descriptor, &bytes, bytes.count, start) == bytes.count, hideEnd(of: track, in: &bytes) else {
            return false
        }
        guard unsafe pwrite(descriptor, bytes, bytes.count, start) == bytes.count else {
            throw .writing(file, status: cffmpeg_averror(errno))
        }
        return true
    }

    /// - Parameter bytes: The box `moov`.
    static func hideEnd(of track: Track, in bytes: inout [UInt8]) -> Bool {
        guard let movie = MP4Box.all(of: bytes, from: 0, to: bytes.count).first(where: { $0.name == "moov" }),
            let whole = DurationField(ofMovie: movie, bytes), let timescale = whole.timescale(bytes), timescale > 0
        else { return false }
        var isFound = false, longest: UInt64 = 0
        for box in movie.boxes(of: bytes) where box.name == "trak" {
            guard let total = DurationField(ofTrack: box, bytes) else { continue }
            let edits = DurationField.edits(ofTrack: box, bytes)
            if total.trackID(bytes) == track.id, let last = edits.last {
                last.set(track.shownDuration(of: last.value(bytes), timescale: timescale), in: &bytes)
                total.set(edits.reduce(0) { $0 + $1.value(bytes) }, in: &bytes)
                isFound = true
            }
            longest = max(longest, total.value(bytes))
        }
        if isFound { whole.set(longest, in: &bytes) }
        return isFound
    }
}

extension MP4EditList.Track {
    /// Returns the duration of the edit that shows the track, rounded down. The first hidden sample begins at the end
    /// of the last shown sample.
    ///
    /// - Parameters:
    ///   - whole: The duration of the edit that shows all samples, rounded up as in libavformat.
    ///   - timescale: The ticks a second of both durations.
    fileprivate func shownDuration(of whole: UInt64, timescale: UInt32) -> UInt64 {
        let movie = Rational(1, Int32(clamping: timescale)).avRational
        func ticks(_ end: Int64, from start: Int64, _ rounding: AVRounding) -> Int64 {
            av_rescale_q_rnd(end &- start, timeBase.avRational, movie, rounding)
        }
        // The edit begins with the first sample, or at 0 if there are samples before 0.
        for origin in [start, 0] where ticks(end, from: origin, AV_ROUND_UP) == Int64(clamping: whole) {
            return UInt64(max(0, ticks(shownEnd, from: origin, AV_ROUND_DOWN)))
        }
        let hidden = ticks(end, from: shownEnd, AV_ROUND_UP) + 1
        return UInt64(max(0, Int64(clamping: whole) - hidden))
    }
}

/// A duration in a box of version 0 or 1 (ISO/IEC 14496-12, 8.2.2, 8.3.2, 8.6.6).
private struct DurationField {
    private let box: MP4Box
    /// The offset from the box's content.
    private let offset: Int
    private let isLong: Bool

    private init?(_ box: MP4Box?, short: Int, long: Int, _ bytes: [UInt8]) {
        guard let box, box.content + 4 <= box.end else { return nil }
        self.box = box
        isLong = bytes[box.content] == 1
        offset = isLong ? long : short
        guard box.content + offset + (isLong ? 8 : 4) <= box.end else { return nil }
    }

    init?(ofMovie movie: MP4Box, _ bytes: [UInt8]) {
        self.init(movie.box("mvhd", of: bytes), short: 16, long: 24, bytes)
    }

    init?(ofTrack track: MP4Box, _ bytes: [UInt8]) {
        self.init(track.box("tkhd", of: bytes), short: 20, long: 28, bytes)
    }

    /// Returns the durations of the edits of a track.
    static func edits(ofTrack track: MP4Box, _ bytes: [UInt8]) -> [DurationField] {
        guard let list = track.box("edts/elst", of: bytes), let count = list.number(4, of: bytes).map(Int.init)
        else { return [] }
        let size = bytes[list.content] == 1 ? 20 : 12
        guard count <= (list.end - list.content - 8) / size else { return [] }
        return (0..<count).compactMap { DurationField(list, short: 8 + $0 * size, long: 8 + $0 * size, bytes) }
    }

    /// The ticks a second of a movie, which precede its duration.
    func timescale(_ bytes: [UInt8]) -> UInt32? { box.number(offset - 4, of: bytes) }

    /// The id of a track, which precedes its duration.
    func trackID(_ bytes: [UInt8]) -> UInt32? { box.number(offset - 8, of: bytes) }

    func value(_ bytes: [UInt8]) -> UInt64 {
        (isLong ? box.longNumber(offset, of: bytes) : box.number(offset, of: bytes).map(UInt64.init)) ?? 0
    }

    func set(_ value: UInt64, in bytes: inout [UInt8]) {
        let width = isLong ? 8 : 4
        for i in 0..<width {
            bytes[box.content + offset + i] = UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - i)))
        }
    }
}
