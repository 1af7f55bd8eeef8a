import TestSupport
import Testing

@testable import MediaIO

@Suite("Cuts between fragments") struct FragmentCutTests {
    private func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let size = UInt32(content.count + 8)
        return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array(name.utf8) + content
    }

    private func fragment(_ name: String = "tfdt", _ size: Int = 100) -> [UInt8] {
        box(
            "moof",
            box("mfhd", [0, 0, 0, 0, 0, 0, 0, 1]) + box("traf", box("tfhd", [1]) + box(name, [2]))
                + box("free", [UInt8](repeating: 0, count: size - 58)))
    }

    /// Lets a stream through; what is given of it, in its parts, and how it ended.
    private func parts(_ stream: [UInt8], limit: Int) -> (parts: [[UInt8]], end: FragmentCut) {
        var cut = FragmentCut(limit: limit), rest = stream[...], parts: [[UInt8]] = [[]]
        while true {
            switch cut.step {
            case .pass(let count):
                // As a pipe has it: not all at once.
                let piece = rest.prefix(min(count, 7))
                if piece.isEmpty { return (parts, cut) }
                parts[parts.count - 1] += piece
                rest = rest.dropFirst(piece.count)
                cut.pass(piece.count)
            case .show(let count):
                guard rest.count >= count else { return (parts, cut) }
                let shown = Array(rest.prefix(count))
                cut.show(shown)
                if case .show(let all) = cut.step, all > count { continue }
                if cut.step == .end {
                    parts.append(cut.header + shown)
                    cut.goOn()
                } else {
                    parts[parts.count - 1] += shown
                }
                rest = rest.dropFirst(count)
            case .end, .never: return (parts, cut)
            }
        }
    }

    @Test func eachPartBeginsWithTheHeader() {
        let header = box("ftyp", [1, 2, 3]) + box("moov", [UInt8](repeating: 9, count: 50))
        let media = box("mdat", [UInt8](repeating: 7, count: 300))
        let pieces = (0..<10).map { _ in fragment() + media }
        let (parts, _) = parts(header + box("sidx", [1]) + pieces.flatMap(\.self), limit: 350)
        // The fourth header is beyond the limit, and each part begins with one that is not counted.
        #expect(parts.count == 3)
        #expect(parts[0] == header + box("sidx", [1]) + pieces[..<3].flatMap(\.self))
        for part in parts[1...] { #expect(part.starts(with: header + pieces[0])) }
        #expect(parts.map(\.count).reduce(0, +) == header.count * 3 + box("sidx", [1]).count + pieces.joined().count)
    }

    @Test(arguments: [
        "no time", "another header", "no header", "no size", "text", "nothing",
    ])
    func whatCannotBeCutIsLeftAlone(_ what: String) {
        let header = box("ftyp", [1, 2, 3]) + box("moov", [9])
        let stream: [UInt8] =
            switch what {
            case "no time": header + (0..<9).flatMap { _ in fragment("trun") }
            case "another header": header + box("moov", [9]) + fragment()
            case "no header": box("ftyp", [1]) + fragment()
            case "no size": header + [0, 0, 0, 0] + Array("mdat".utf8)
            case "text": Array("WEBVTT and more".utf8)
            default: []
            }
        let (parts, end) = parts(stream, limit: 350)
        #expect(parts.count == 1 && stream.starts(with: parts[0]))
        #expect(end.step == (stream.isEmpty ? .show(8) : .never))
    }

    /// Whatever sizes and names a stream claims, what is given is what came, and each part begins with the same header.
    @Test func noClaimLosesOrMakesUpBytes() {
        let header = box("ftyp", [1, 2, 3]) + box("moov", [UInt8](repeating: 9, count: 50))
        let piece = fragment() + box("mdat", [UInt8](repeating: 7, count: 30))
        let whole = header + (0..<10).flatMap { _ in piece }
        var generator = SeededGenerator(seed: 21)
        for _ in 0..<3000 {
            var stream = whole
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: stream.indices, using: &generator)
                stream[place] = .random(in: .min ... .max, using: &generator)
            }
            let (parts, end) = parts(stream, limit: 250)
            #expect(parts.dropFirst().allSatisfy { $0.starts(with: end.header) })
            let given = parts[0] + parts.dropFirst().flatMap { $0.dropFirst(end.header.count) }
            #expect(stream.starts(with: given))
        }
    }
}
