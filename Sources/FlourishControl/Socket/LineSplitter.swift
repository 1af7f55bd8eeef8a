import NIOCore

/// Splits input into lines, with memory for at most one line of the maximum length.
struct LineSplitter {
    /// The maximum length of a line, in bytes without its newline.
    static let longest = 64 * 1024

    /// A whole line, or a line that exceeds the limit.
    enum Line: Equatable {
        case whole([UInt8])
        case tooLong
    }

    private var rest: [UInt8] = []
    /// A Boolean value that indicates whether the rest of an oversized line is skipped.
    private var isSkipping = false

    /// Adds a piece of input.
    ///
    /// - Returns: The lines that it completes. An oversized line is reported at once, and its rest is dropped.
    mutating func add(_ piece: ByteBufferView) -> [Line] {
        var lines: [Line] = []
        var parts = piece.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let last = parts.removeLast()
        for part in parts {
            if isSkipping {
                isSkipping = false
            } else {
                let line = rest + part
                lines.append(line.count > Self.longest ? .tooLong : .whole(line))
            }
            rest = []
        }
        if !isSkipping {
            rest += last
            if rest.count > Self.longest {
                (rest, isSkipping) = ([], true)
                lines.append(.tooLong)
            }
        }
        return lines
    }
}
