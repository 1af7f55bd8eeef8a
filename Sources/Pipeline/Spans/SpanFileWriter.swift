import Platform
import Reactions

/// A ``SpanFile`` while it is written.
final class SpanFileWriter {
    private let path: String
    private let temporary: String
    private var descriptor: Int32 = -1

    /// - Throws: `FileError`.
    init(_ path: String, _ header: SpanFile.Header) throws(FileError) {
        self.path = path
        // What a run left that was killed may be large.
        _ = TemporaryFile.removeLeftovers(of: path)
        temporary = try TemporaryFile.reserve(for: path)
        do throws(RawFileError) {
            descriptor = try RawFile.open(RawName.bytes(temporary), O_WRONLY | O_CREAT | O_TRUNC)
        } catch {
            TemporaryFile.forget(temporary)
            throw FileError(writing: path, number: error.number)
        }
        try write(Array((JSONLine.encode(header) + "\n").utf8))
    }

    /// Removes what was not finished.
    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        TemporaryFile.remove(temporary)
    }

    /// - Parameter bytes: the packets', in order.
    /// - Throws: `FileError`.
    func append(_ table: SpanFile.Table, _ bytes: [UInt8]) throws(FileError) {
        let text = Array((JSONLine.encode(table) + "\n").utf8)
        try write(Array((JSONLine.encode(SpanFile.Mark(text, bytes)) + "\n").utf8))
        try write(text)
        try write(bytes)
    }

    /// Gives it its name.
    ///
    /// - Throws: `FileError`.
    func finish(overwrite: Bool) throws(FileError) {
        let failure = close(descriptor) == 0 ? 0 : errno
        descriptor = -1
        do throws(FileError) {
            guard failure == 0 else { throw FileError(writing: path, number: failure) }
            try TemporaryFile.publish(temporary, as: path, overwrite: overwrite)
        } catch {
            TemporaryFile.remove(temporary)
            throw error
        }
    }

    private func write(_ bytes: [UInt8]) throws(FileError) {
        let failure = DescriptorOutput.write(bytes, to: descriptor)
        guard failure == 0 else { throw FileError(writing: path, number: failure) }
    }
}
