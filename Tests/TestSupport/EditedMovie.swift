/// An MP4 file of libavformat (boxes of version 0, the index at its end) with another edit list.
package struct EditedMovie {
    private var movie: MovieBoxes
    package var bytes: [UInt8] { movie.bytes }
    private let parts: [ClosedRange<Double>]

    /// - Parameter parts: the parts of the media that are shown, in seconds.
    package init(_ bytes: [UInt8], _ parts: [ClosedRange<Double>]) throws {
        (movie, self.parts) = (MovieBoxes(bytes), parts)
        let all = try movie.find(["moov"])
        let header = try movie.find(["mvhd"], in: all)
        let scale = movie.number(header.lowerBound + 20)
        let total = parts.reduce(0) { $0 + duration($1, scale) }
        movie.set(total, at: header.lowerBound + 24)
        let tracks = movie.boxes(in: all).filter { $0.name == "trak" }.map(\.range)
        for track in tracks.reversed() { try edit(track, movie: all.lowerBound, scale: scale, total: total) }
    }

    private func duration(_ part: ClosedRange<Double>, _ scale: Int) -> Int {
        Int(((part.upperBound - part.lowerBound) * Double(scale)).rounded())
    }

    private mutating func edit(_ track: Range<Int>, movie whole: Int, scale: Int, total: Int) throws {
        movie.set(total, at: try movie.find(["tkhd"], in: track).lowerBound + 28)
        let media = movie.number(try movie.find(["mdia", "mdhd"], in: track).lowerBound + 20)
        let edits = try movie.find(["edts"], in: track)
        let list = try movie.find(["edts", "elst"], in: track)
        let origin = movie.number(list.lowerBound + 20)
        var entries: [UInt8] = []
        for part in parts {
            let start = origin + Int((part.lowerBound * Double(media)).rounded())
            entries += MovieBoxes.fields(duration(part, scale), start) + [0, 1, 0, 0]
        }
        let new = MovieBoxes.box("elst", MovieBoxes.fields(0, parts.count) + entries)
        movie.replace(list, with: new, inside: [whole, track.lowerBound, edits.lowerBound])
    }
}
