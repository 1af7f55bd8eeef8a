/// An MP4 file of libavformat without sound, the later samples of which have another sample description.
///
/// Recorders begin a new description when the size of the picture changes.
package struct JoinedMovie {
    package let bytes: [UInt8]

    /// - Parameters:
    ///   - bytes: the file, with its index at its end.
    ///   - count: the number of samples that keep its description.
    ///   - other: a file with the description of all other samples.
    package init(_ bytes: [UInt8], keeping count: Int, then other: [UInt8]) throws {
        var movie = MovieBoxes(bytes)
        let path = ["moov", "trak", "mdia", "minf", "stbl"]
        let outer = try (1...path.count).map { try movie.find(Array(path.prefix($0))).lowerBound }
        func table(_ name: String) throws -> Range<Int> { try movie.find(path + [name]) }
        let sizes = try table("stsz")
        let total = movie.number(sizes.lowerBound + 16)
        let first = try movie.number(table("stco").lowerBound + 16)
        // All samples lie behind each other.
        let split = first + movie.numbers(count, at: sizes.lowerBound + 20).reduce(0, +)
        let offsets = MovieBoxes.box("stco", MovieBoxes.fields(0, 2, first, split))
        try movie.replace(table("stco"), with: offsets, inside: outer)
        let chunks = MovieBoxes.box("stsc", MovieBoxes.fields(0, 2, 1, count, 1, 2, total - count, 2))
        try movie.replace(table("stsc"), with: chunks, inside: outer)
        let own = try table("stsd")
        let source = MovieBoxes(other)
        let added = try source.find(path + ["stsd"])
        let entries =
            movie.bytes[own.lowerBound + 16..<own.upperBound] + source.bytes[added.lowerBound + 16..<added.upperBound]
        movie.replace(own, with: MovieBoxes.box("stsd", MovieBoxes.fields(0, 2) + entries), inside: outer)
        self.bytes = movie.bytes
    }
}
