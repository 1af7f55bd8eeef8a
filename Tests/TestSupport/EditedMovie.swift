/// An MP4 file of libavformat (boxes of version 0, the index at its end) with another edit list.
package struct EditedMovie {
    package private(set) var bytes: [UInt8]
    private let parts: [ClosedRange<Double>]

    /// - Parameter parts: the parts of the media that are shown, in seconds.
    package init(_ bytes: [UInt8], _ parts: [ClosedRange<Double>]) throws {
        (self.bytes, self.parts) = (bytes, parts)
        let movie = try find(["moov"], 0..<bytes.count)
        let header = try find(["mvhd"], movie.lowerBound + 8..<movie.upperBound)
        let scale = number(header.lowerBound + 20)
        let total = parts.reduce(0) { $0 + duration($1, scale) }
        set(total, at: header.lowerBound + 24)
        let tracks = boxes(movie.lowerBound + 8..<movie.upperBound).filter { $0.name == "trak" }.map(\.range)
        for track in tracks.reversed() { try edit(track, movie: movie.lowerBound, scale: scale, total: total) }
    }

    private func duration(_ part: ClosedRange<Double>, _ scale: Int) -> Int {
        Int(((part.upperBound - part.lowerBound) * Double(scale)).rounded())
    }

    private mutating func edit(_ track: Range<Int>, movie: Int, scale: Int, total: Int) throws {
        let inside = track.lowerBound + 8..<track.upperBound
        set(total, at: try find(["tkhd"], inside).lowerBound + 28)
        let media = number(try find(["mdia", "mdhd"], inside).lowerBound + 20)
        let edits = try find(["edts"], inside)
        let list = try find(["edts", "elst"], inside)
        let origin = number(list.lowerBound + 20)
        var entries: [UInt8] = []
        for part in parts {
            let start = origin + Int((part.lowerBound * Double(media)).rounded())
            entries += field(duration(part, scale)) + field(start) + [0, 1, 0, 0]
        }
        let changed = field(0) + field(parts.count) + entries
        let new = field(changed.count + 8) + Array("elst".utf8) + changed
        let growth = new.count - list.count
        bytes.replaceSubrange(list, with: new)
        for start in [movie, track.lowerBound, edits.lowerBound] { set(number(start) + growth, at: start) }
    }

    private func boxes(_ range: Range<Int>) -> [(name: String, range: Range<Int>)] {
        var found: [(String, Range<Int>)] = [], start = range.lowerBound
        while start + 8 <= range.upperBound {
            let end = start + number(start)
            found.append((String(decoding: bytes[start + 4..<start + 8], as: UTF8.self), start..<end))
            start = end
        }
        return found
    }

    private func find(_ path: [String], _ range: Range<Int>) throws -> Range<Int> {
        try path.dropFirst().reduce(try first(path[0], range)) { try first($1, $0.lowerBound + 8..<$0.upperBound) }
    }

    private func first(_ name: String, _ range: Range<Int>) throws -> Range<Int> {
        guard let box = boxes(range).first(where: { $0.name == name }) else { throw MissingBox(name: name) }
        return box.range
    }

    private func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }

    private func field(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private mutating func set(_ value: Int, at place: Int) {
        bytes.replaceSubrange(place..<place + 4, with: field(value))
    }
}

/// The error for a file without a box that an edit list needs.
private struct MissingBox: Error {
    let name: String
}
