import NIOCore

/// Makes lines of what comes in pieces, and keeps no more of it than a line may have.
struct LineSplitter {
    /// The longest line, in bytes without its newline.
    static let longest = 64 * 1024

    /// A whole line, or that one was too long.
    enum Line: Equatable {
        case whole([UInt8])
        case tooLong
    }

    private var rest: [UInt8] = []
    /// Whether a line that is too long goes on.
    private var isSkipping = false

    /// Adds a piece.
    ///
    /// - Returns: the lines that it completes; one that is too long is told at once, and the rest of it thrown away.
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
