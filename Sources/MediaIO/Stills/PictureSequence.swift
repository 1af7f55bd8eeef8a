import Platform
import Synchronization

/// Writes pictures as PNG files that are numbered, and a list that says when each is shown.
///
/// For `effects-%05d.png` the files are `effects-00001.png` and so on; `effects-00000.png` is the empty picture, which is
/// there once however often it is shown. The list, `effects.ffconcat`, is what FFmpeg's `concat` demuxer reads.
package final class PictureSequence: Sendable {
    /// The pattern as it was given.
    package let path: String
    private let overwrite: Bool
    /// Whether a run wrote there before, what is left of which is to go.
    private let followsAnother: Bool
    /// What stands before and after the number, and how many digits that has at least.
    private let head: String, tail: String, digits: Int
    private let state = Mutex(State())

    fileprivate struct State {
        var count = 0
        var written: [String] = []
        var hasEmpty = false
        /// The last picture's file and when it is shown, in seconds.
        var last: (name: String, time: Double)?
        var list = "ffconcat version 1.0\n"
        var isFinished = false
    }

    /// - Returns: nil where the name is no pattern: `.png` with one `%d` or `%05d` in it.
    package init?(_ path: String, overwrite: Bool) {
        guard let (head, digits, tail) = Self.parts(of: path) else { return nil }
        self.path = path
        self.overwrite = overwrite
        (self.head, self.digits, self.tail) = (head, digits, tail)
        followsAnother = overwrite && Self.paths(of: path).contains { FileKind.of($0) == S_IFREG }
    }

    /// Removes what was written, unless it was finished: without the list nobody knows what it is.
    deinit {
        state.withLock { state in
            if !state.isFinished { for name in state.written { TemporaryFile.remove(name) } }
        }
    }

    /// Whether a name stands for many pictures.
    package static func isPattern(_ path: String) -> Bool { parts(of: path) != nil }

    /// The files of which each run writes at least one: the list, the picture without effects, and the first with some. None
    /// where the name is no pattern.
    package static func paths(of path: String) -> [String] {
        guard let list = listPath(of: path), let parts = parts(of: path) else { return [] }
        return [list] + (0...1).map { name($0, parts) }
    }

    /// Where the list of a pattern lies; nil where it is none.
    package static func listPath(of path: String) -> String? {
        guard let (head, _, _) = parts(of: path) else { return nil }
        let stem = head.reversed().drop { $0 == "-" || $0 == "_" || $0 == "." }.reversed()
        let isBare = stem.isEmpty || stem.last == "/"
        return String(stem) + (isBare ? "pictures" : "") + ".ffconcat"
    }

    private static func parts(of path: String) -> (String, Int, String)? {
        guard path.lowercased().hasSuffix(".png"), let mark = path.firstIndex(of: "%"),
            path[path.index(after: mark)...].firstIndex(of: "%") == nil,
            path[mark...].firstIndex(of: "/") == nil,
            let end = path[mark...].firstIndex(of: "d")
        else { return nil }
        let width = path[path.index(after: mark)..<end]
        guard width.allSatisfy(\.isWholeNumber), width.count <= 2, width.first == "0" || width.isEmpty else {
            return nil
        }
        return (String(path[..<mark]), max(Int(width) ?? 1, 1), String(path[path.index(after: end)...]))
    }

    /// Writes a picture.
    ///
    /// - Parameters:
    ///   - isEmpty: Whether nothing is in it.
    ///   - time: When it is shown, in seconds; later than the one before.
    /// - throws: ``MediaError`` of the codes `unwritable`, `diskFull`, `io`, `noEncoder`, `internal`.
    package func write(_ frame: borrowing VideoFrame, isEmpty: Bool, at time: Double) throws(MediaError) {
        let (file, isNew) = state.withLock { state -> (String, Bool) in
            state.end(at: time)
            if !isEmpty { state.count += 1 }
            let file = name(isEmpty ? 0 : state.count)
            let isNew = !isEmpty || !state.hasEmpty
            state.hasEmpty = state.hasEmpty || isEmpty
            state.last = (file, time)
            return (file, isNew)
        }
        guard isNew else { return }
        let bytes = try frame.pngBytes()
        try MediaError.rephrasing { () throws(FileError) in
            _ = try TemporaryFile.write(bytes, to: file, overwrite: overwrite)
        }
        state.withLock { $0.written.append(file) }
    }

    /// Writes the list, and removes what a longer run has left that wrote there before.
    ///
    /// - Parameter time: When the last picture ends, in seconds.
    /// - Returns: the list's path.
    /// - throws: ``MediaError`` of the codes `unwritable`, `diskFull`, `io`.
    package func finish(at time: Double) throws(MediaError) -> String {
        let (list, count) = state.withLock { state in
            state.end(at: time)
            return (state.list, state.count)
        }
        let place = Self.listPath(of: path) ?? path
        try MediaError.rephrasing { () throws(FileError) in
            _ = try TemporaryFile.write(Array(list.utf8), to: place, overwrite: overwrite)
        }
        state.withLock { $0.isFinished = true }
        if followsAnother { removePictures(after: count) }
        return place
    }

    /// Programs that read all pictures of the pattern would show them after the last.
    private func removePictures(after count: Int) {
        var number = count + 1
        while FileKind.of(name(number)) == S_IFREG {
            TemporaryFile.remove(name(number))
            number += 1
        }
    }

    private func name(_ number: Int) -> String { Self.name(number, (head, digits, tail)) }

    private static func name(_ number: Int, _ parts: (head: String, digits: Int, tail: String)) -> String {
        let plain = String(number)
        return parts.head + String(repeating: "0", count: max(0, parts.digits - plain.count)) + plain + parts.tail
    }
}

extension PictureSequence.State {
    /// Says how long the last picture was shown.
    fileprivate mutating func end(at time: Double) {
        guard let last else { return }
        let file = last.name.split(separator: "/").last ?? ""
        // In the list's own quotes an apostrophe ends them, is escaped, and begins them again.
        let quoted = file.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        list += "file '\(quoted)'\nduration \(Self.microseconds(time - last.time))\n"
    }

    private static func microseconds(_ seconds: Double) -> String {
        let all = Int((max(seconds, 0) * 1e6).rounded())
        let rest = String(all % 1_000_000)
        return "\(all / 1_000_000)." + String(repeating: "0", count: 6 - rest.count) + rest
    }
}
