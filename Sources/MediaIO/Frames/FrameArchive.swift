package import Platform

/// Pictures in a file of our own: without loss and with next to no work, their samples as they are.
///
/// A line that says what the file is, a line with whatever its writer has to say of the pictures, the samples, and a line
/// with a hash of all that comes before.
package enum FrameArchive {
    static let mark = Array("flourish frames 1\n".utf8)
    static let newline = UInt8(ascii: "\n")
    /// The longest line with what is said of the pictures, in bytes.
    static let longestHeader = 1 << 20
    /// How many bytes the last line has.
    static let trailerLength = 41

    /// Writes a file under a hidden name, which takes its own once it is published (`TemporaryFile`).
    ///
    /// - Parameters:
    ///   - path: the name that it is to have.
    ///   - header: one line without its end.
    ///   - count: how many pictures there are.
    ///   - samples: the samples of each.
    /// - Returns: the hidden name.
    /// - throws: `FileError` of the codes `unwritable`, `diskFull`, `io`, `outOfMemory`.
    package static func fill(
        for path: String, header: [UInt8], count: Int, samples: (Int) -> [UInt8]
    ) throws(FileError) -> String {
        guard let hash = try? VideoFingerprint(path: path) else { throw FileError(writing: path, number: ENOMEM) }
        let temporary = try TemporaryFile.reserve(for: path)
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            TemporaryFile.forget(temporary)
            throw FileError(writing: path, number: errno)
        }
        var failure = write(mark + header + [newline], hash, descriptor)
        for index in 0..<count where failure == 0 { failure = write(samples(index), hash, descriptor) }
        if failure == 0 { failure = DescriptorOutput.write(Array(hash.finish().utf8) + [newline], to: descriptor) }
        if close(descriptor) != 0, failure == 0 { failure = errno }
        guard failure == 0 else {
            TemporaryFile.remove(temporary)
            throw FileError(writing: path, number: failure)
        }
        return temporary
    }

    private static func write(_ bytes: [UInt8], _ hash: VideoFingerprint, _ descriptor: Int32) -> Int32 {
        hash.add(bytes[...])
        return DescriptorOutput.write(bytes, to: descriptor)
    }
}

/// Reads what ``FrameArchive`` wrote, in the order in which it was written.
///
/// Used by one thread at a time.
package final class FrameArchiveReader {
    /// What its writer said of the pictures.
    package let header: [UInt8]
    private let path: String
    private let descriptor: Int32
    private let size: Int
    private var offset: Int
    private let hash: VideoFingerprint

    /// Opens a file.
    ///
    /// - throws: ``MediaError`` of the codes `notFound`, `unreadable`, `notMedia` for any other kind of file, `damaged`.
    package init(_ path: String) throws(MediaError) {
        self.path = path
        hash = try VideoFingerprint(path: path)
        do throws(RawFileError) {
            // A named pipe, which somebody may have put there, must not be waited for.
            descriptor = try RawFile.open(Array(path.utf8), O_RDONLY | O_NONBLOCK)
        } catch {
            throw MediaError(
                error.number == ENOENT ? .notFound : .unreadable, file: path,
                "\(path): cannot be read (\(error.message))")
        }
        guard let status = RawFile.status(descriptor: descriptor), status.kind == .file,
            let start = Self.read(descriptor, at: 0, count: min(status.size, FrameArchive.longestHeader)),
            start.starts(with: FrameArchive.mark),
            let end = start[FrameArchive.mark.count...].firstIndex(of: FrameArchive.newline)
        else {
            close(descriptor)
            throw MediaError(.notMedia, file: path, "\(path): is nothing that flourish keeps pictures in")
        }
        size = status.size
        header = Array(start[FrameArchive.mark.count..<end])
        offset = end + 1
        hash.add(start[..<offset])
    }

    deinit { close(descriptor) }

    /// The next picture.
    ///
    /// - throws: ``MediaError`` of the codes `damaged`, `internal`.
    package func next(_ layout: SampleLayout, pool: FramePool) throws(MediaError) -> VideoFrame {
        guard let count = layout.byteCount, count <= size - offset - FrameArchive.trailerLength,
            let samples = Self.read(descriptor, at: offset, count: count)
        else { throw damage }
        offset += count
        hash.add(samples[...])
        return try VideoFrame.restored(from: samples, layout, pool: pool)
    }

    /// Says that there are no more pictures; all of the file is as it was written, or that is thrown.
    ///
    /// - throws: ``MediaError`` of the code `damaged`.
    package func finish() throws(MediaError) {
        guard size - offset == FrameArchive.trailerLength,
            let trailer = Self.read(descriptor, at: offset, count: FrameArchive.trailerLength),
            trailer == Array(hash.finish().utf8) + [FrameArchive.newline]
        else { throw damage }
    }

    private var damage: MediaError { MediaError(.damaged, file: path, "\(path): is cut off or damaged") }

    /// - Returns: `nil` where there are not so many bytes.
    private static func read(_ descriptor: Int32, at offset: Int, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let more = unsafe bytes.withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress! + done, count - done, off_t(offset + done))
            }
            if more < 0 && errno == EINTR { continue }
            guard more > 0 else { return nil }
            done += more
        }
        return bytes
    }
}
