import Platform

/// Knows photographs that Flourish has made by what they tell of themselves.
enum OwnPhotograph {
    /// No photograph is larger, in bytes.
    private static let mostBytes = 256 << 20

    /// Whether a file is a photograph, or the proxy of one, of an instant and what it shows.
    ///
    /// - Parameter comment: what the photograph's file tells programs, as ``PhotoDesk/comment(_:_:isDegraded:)`` writes it.
    static func isOne(_ path: String, telling comment: String) -> Bool {
        guard let size = FileKind.size(of: path), size <= mostBytes,
            let descriptor = try? RawFile.open(Array(path.utf8), O_RDONLY)
        else { return false }
        defer { close(descriptor) }
        guard let bytes = DescriptorInput.readAll(descriptor, limit: mostBytes) else { return false }
        // A proxy's comment, and that of what took its place, begin with one field more.
        return contains(Array(comment.utf8.dropFirst()), bytes.span) && contains(Array("Flourish\0".utf8), bytes.span)
    }

    private static func contains(_ words: [UInt8], _ bytes: Span<UInt8>) -> Bool {
        guard let first = words.first, words.count <= bytes.count else { return false }
        for place in 0...(bytes.count - words.count) where bytes[place] == first {
            if words.indices.allSatisfy({ bytes[place + $0] == words[$0] }) { return true }
        }
        return false
    }
}
