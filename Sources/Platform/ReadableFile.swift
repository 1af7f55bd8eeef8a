/// A plain file, read at any place of it.
package final class ReadableFile: Sendable {
    private let descriptor: Int32
    /// In bytes, when it was opened.
    package let size: Int

    /// - Throws: ``RawFileError``; with the number `EINVAL` for what is no plain file.
    package init(_ path: String) throws(RawFileError) {
        // What is no plain file may have nobody who writes into it.
        descriptor = try RawFile.open(RawName.bytes(path), O_RDONLY | O_NONBLOCK)
        guard let status = RawFile.status(descriptor: descriptor), status.kind == .file else {
            close(descriptor)
            throw RawFileError(number: EINVAL)
        }
        size = status.size
    }

    deinit { close(descriptor) }

    /// Bytes at a place.
    ///
    /// - Returns: `nil` where so many are not there, or cannot be read.
    package func read(at place: Int, count: Int) -> [UInt8]? {
        guard place >= 0, count >= 0, place <= size, count <= size - place else { return nil }
        var done = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while done < count {
                let got = unsafe pread(descriptor, buffer.baseAddress! + done, count - done, off_t(place + done))
                if got < 0 && errno == EINTR { continue }
                if got <= 0 { break }
                done += got
            }
            filled = done
        }
        return done == count ? bytes : nil
    }

    /// The line that begins at a place, without its newline.
    ///
    /// - Parameter limit: the most bytes that it may have.
    /// - Returns: `nil` where no such line is.
    package func line(at place: Int, limit: Int) -> [UInt8]? {
        var line: [UInt8] = []
        while line.count <= limit {
            let start = place + line.count
            guard let piece = read(at: start, count: min(4096, size - start)), !piece.isEmpty else { return nil }
            if let end = piece.firstIndex(of: UInt8(ascii: "\n")) { return line + piece[..<end] }
            line += piece
        }
        return nil
    }
}
