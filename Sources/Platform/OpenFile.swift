/// A regular file that is open for reading. All that share the object read the same file, at positions of their own,
/// whatever becomes of its name.
package final class OpenFile: Sendable {
    package let descriptor: Int32

    /// - Returns: `nil` if the path does not lead to a regular file, or the file cannot be opened.
    package init?(_ path: String) {
        // A path that meanwhile leads to a pipe must not make the call wait for a writer.
        guard FileKind.of(path) == S_IFREG, let opened = try? RawFile.open(Array(path.utf8), O_RDONLY | O_NONBLOCK)
        else { return nil }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Returns bytes from a position on: fewer than requested at the end of the file, and if reading fails.
    package func read(at place: Int64, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = unsafe pread(descriptor, &bytes, count, off_t(place))
        return Array(bytes.prefix(max(0, Int(got))))
    }
}
