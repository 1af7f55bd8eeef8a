import Platform
import Synchronization

/// Writes pictures as numbered PNG files, and a list with their times.
///
/// For `effects-%05d.png`, the files are `effects-00001.png` and so on. `effects-00000.png` is the empty picture, which
/// is written once. The list, `effects.ffconcat`, is for FFmpeg's `concat` demuxer.
package final class PictureSequence: Sendable {
    /// The pattern as the caller passed it.
    package let path: String
    private let overwrite: Bool
    /// True if an earlier run has written files of this pattern. Its pictures that this run does not overwrite are
    /// removed.
    private let followsAnother: Bool
    /// The text before and after the number, and the smallest number of its digits.
    private let head: String, tail: String, digits: Int
    private let state = Mutex(State())

    fileprivate struct State {
        var count = 0
        var written: [String] = []
        var hasEmpty = false
        /// The last picture's file and its time, in seconds.
        var last: (name: String, time: Double)?
        var list = "ffconcat version 1.0\n"
        var isFinished = false
    }

    /// - Returns: nil if the name is not a pattern: `.png` with one `%d` or `%05d` in it.
    package init?(_ path: String, overwrite: Bool) {
        guard let (head, digits, tail) = Self.parts(of: path) else { return nil }
        self.path = path
        self.overwrite = overwrite
        (self.head, self.digits, self.tail) = (head, digits, tail)
        followsAnother = overwrite && Self.paths(of: path).contains { FileKind.of($0) == S_IFREG }
    }

    /// Removes the written files unless the list was finished. Without the list, their times are unknown.
    deinit {
        state.withLock { state in
            if !state.isFinished { for name in state.written { TemporaryFile.remove(name) } }
        }
    }

    /// Returns whether a name is a pattern.
    package static func isPattern(_ path: String) -> Bool { parts(of: path) != nil }

    /// Returns the files that every run writes: the list, the picture without effects, and the first picture with
    /// effects. Empty if the name is not a pattern.
    package static func paths(of path: String) -> [String] {
        guard let list = listPath(of: path), let parts = parts(of: path) else { return [] }
        return [list] + (0...1).map { name($0, parts) }
    }

    /// Returns the path of a pattern's list; nil if the name is not a pattern.
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
    ///   - isEmpty: Whether the picture is empty, so that one file is enough for all empty pictures.
    ///   - time: Its time in seconds; later than the previous one.
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

    /// Writes the list, and removes the remaining files of an earlier, longer run.
    ///
    /// - Parameter time: The end of the last picture, in seconds.
    /// - Returns: The list's path.
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

    /// Removes an earlier run's pictures with higher numbers. Programs that read the pattern would show these after the
    /// last picture.
    private func removePictures(after count: Int) {
        var number = count + 1
        while FileKind.of(name(number)) == S_IFREG {
            TemporaryFile.remove(name(number))
            number += 1
        }
    }

    private func name(_ number: Int) -> String { Self.name(number, (head, digits, tail)) }

    private static func name(_ number: Int, _ parts: (head: String, digits: Int, tail: String)) -> String {
        parts.head + number.padded(parts.digits) + parts.tail
    }
}

extension PictureSequence.State {
    /// Adds the last picture to the list, with its duration.
    fileprivate mutating func end(at time: Double) {
        guard let last else { return }
        let file = last.name.split(separator: "/").last ?? ""
        // An apostrophe within quotes is written as `'\''`: the end of the quotes, an escaped apostrophe, and new
        // quotes.
        let quoted = file.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        list += "file '\(quoted)'\nduration \(Self.microseconds(time - last.time))\n"
    }

    private static func microseconds(_ seconds: Double) -> String {
        let all = Int(min(max(seconds, 0) * 1e6, 1e18).rounded())
        return "\(all / 1_000_000).\((all % 1_000_000).padded(6))"
    }
}
