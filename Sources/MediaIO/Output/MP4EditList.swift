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

    /// Hides the samples after a track's ``Track/shownEnd``.
    ///
    /// - Parameter file: A file with its index in a box `moov`, not in fragments.
    /// - Returns: false if the file has no such edit list; the file is then unchanged.
    /// - throws: ``MediaError`` of the codes `io` and `unwritable`.
    static func hideEnd(of track: Track, in file: String) throws(MediaError) -> Bool {
        guard let index = MP4Index(file: file) else { return false }
        var bytes = index.bytes
        guard hideEnd(of: track, in: &bytes) else { return false }
        try index.write(bytes)
        return true
    }

    /// - Parameter bytes: The box `moov`.
    static func hideEnd(of track: Track, in bytes: inout [UInt8]) -> Bool {
        guard let movie = MP4Box.all(of: bytes, from: 0, to: bytes.count).first(where: { $0.name == "moov" }),
            let header = Field(movieHeader: movie, bytes), let timescale = header.timescale(bytes), timescale > 0
        else { return false }
        var isFound = false, longest: UInt64 = 0
        for box in movie.boxes(of: bytes) where box.name == "trak" {
            guard let head = box.box("tkhd", of: bytes), let total = Field(trackHeader: head, bytes) else { continue }
            if total.trackID(bytes) == track.id, let list = box.box("edts/elst", of: bytes),
                let entries = Field.editDurations(list, bytes), let last = entries.last
            {
                last.set(track.shownDuration(of: last.value(bytes), timescale: timescale), in: &bytes)
                total.set(entries.reduce(0) { $0 + $1.value(bytes) }, in: &bytes)
                isFound = true
            }
            longest = max(longest, total.value(bytes))
        }
        if isFound { header.set(longest, in: &bytes) }
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
private struct Field {
    private let box: MP4Box
    /// The offset from the box's content.
    private let offset: Int
    private let isLong: Bool

    private init(_ box: MP4Box, offset: Int, isLong: Bool) {
        (self.box, self.offset, self.isLong) = (box, offset, isLong)
    }

    private init?(_ box: MP4Box, short: Int, long: Int, _ bytes: [UInt8]) {
        guard box.content + 4 <= box.end else { return nil }
        let isLong = bytes[box.content] == 1
        self.init(box, offset: isLong ? long : short, isLong: isLong)
        guard box.content + offset + (isLong ? 8 : 4) <= box.end else { return nil }
    }

    init?(movieHeader movie: MP4Box, _ bytes: [UInt8]) {
        guard let box = movie.box("mvhd", of: bytes) else { return nil }
        self.init(box, short: 16, long: 24, bytes)
    }

    init?(trackHeader box: MP4Box, _ bytes: [UInt8]) { self.init(box, short: 20, long: 28, bytes) }

    /// Returns the durations of an edit list's entries.
    static func editDurations(_ list: MP4Box, _ bytes: [UInt8]) -> [Field]? {
        guard let count = list.number(4, of: bytes).map(Int.init) else { return nil }
        let isLong = bytes[list.content] == 1
        let size = isLong ? 20 : 12
        guard count > 0, count <= (list.end - list.content - 8) / size else { return nil }
        return (0..<count).map { Field(list, offset: 8 + $0 * size, isLong: isLong) }
    }

    func timescale(_ bytes: [UInt8]) -> UInt32? { box.number(offset - 4, of: bytes) }

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

/// The box `moov` of a file.
private struct MP4Index {
    let file: String
    let bytes: [UInt8]
    private let start: Int64

    /// The maximum size in bytes. Larger boxes are not changed, because a box is read as a whole.
    private static let largest = 1 << 30

    /// - Returns: Nil if the file has no such box.
    init?(file: String) {
        guard let descriptor = try? RawFile.open(Array(file.utf8), O_RDONLY) else { return nil }
        defer { close(descriptor) }
        guard let box = MP4FileBox.all(of: descriptor, through: "moov").last, box.name == "moov",
            box.range.count <= Self.largest
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: box.range.count)
        guard unsafe pread(descriptor, &bytes, bytes.count, off_t(box.range.lowerBound)) == bytes.count else {
            return nil
        }
        (self.file, self.bytes, start) = (file, bytes, box.range.lowerBound)
    }

    /// Overwrites the box with another content of the same size.
    func write(_ changed: [UInt8]) throws(MediaError) {
        precondition(changed.count == bytes.count, "a box that is changed in place keeps its size")
        guard let descriptor = try? RawFile.open(Array(file.utf8), O_WRONLY) else {
            throw .writing(file, status: cffmpeg_averror(errno))
        }
        defer { close(descriptor) }
        guard unsafe pwrite(descriptor, changed, changed.count, off_t(start)) == changed.count else {
            throw .writing(file, status: cffmpeg_averror(errno))
        }
    }
}
