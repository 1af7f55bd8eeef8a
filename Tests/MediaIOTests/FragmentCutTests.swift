import TestSupport
import Testing

@testable import MediaIO

@Suite("Cuts between fragments") struct FragmentCutTests {
    private func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let size = UInt32(content.count + 8)
        return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array(name.utf8) + content
    }

    private func number(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    /// A header of two tracks: the first has samples with a default duration of 10 ticks, the second one of 7.
    private func header(samples: Int = 0) -> [UInt8] {
        func track(_ id: Int) -> [UInt8] {
            let table = box("stts", number(0) + number(samples > 0 ? 1 : 0) + number(samples) + number(10))
            let sizes = box("stsz", number(0) + number(0) + number(samples) + [UInt8](repeating: 1, count: 4 * samples))
            return box(
                "trak",
                box("tkhd", number(0) + number(0) + number(0) + number(id))
                    + box("mdia", box("minf", box("stbl", table + sizes))))
        }
        func usual(_ id: Int, _ duration: Int) -> [UInt8] {
            box("trex", number(0) + number(id) + number(1) + number(duration) + number(0) + number(0))
        }
        return box("ftyp", [1, 2, 3]) + box("moov", track(1) + track(2) + box("mvex", usual(1, 10) + usual(2, 7)))
    }

    /// A fragment of a size: samples of the first track, and optionally of another.
    private func fragment(time: Int? = 0, samples: Int = 2, second: Int? = nil, size: Int = 200) -> [UInt8] {
        func part(_ id: Int, _ time: Int?, _ samples: Int) -> [UInt8] {
            box(
                "traf",
                box("tfhd", number(0) + number(id)) + (time.map { box("tfdt", number(0) + number($0)) } ?? [])
                    + box("trun", number(0) + number(samples)))
        }
        let parts =
            box("mfhd", number(0) + number(1)) + part(1, time, samples)
            + (second.map { part(2, nil, $0) } ?? [])
        return box("moof", parts + box("free", [UInt8](repeating: 0, count: size - 16 - parts.count)))
    }

    /// Returns the output for a stream, in its parts, and the way it ended.
    private func parts(
        _ stream: [UInt8], limit: Int, noting offsets: (FragmentCut) -> Void = { _ in }
    ) -> (parts: [[UInt8]], end: FragmentCut) {
        var cut = FragmentCut(limit: limit), rest = stream[...], parts: [[UInt8]] = [[]]
        while true {
            switch cut.step {
            case .pass(let count):
                // In pieces, like data from a pipe.
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
                    cut.restart()
                    offsets(cut)
                } else {
                    parts[parts.count - 1] += shown
                }
                rest = rest.dropFirst(count)
            case .end, .never: return (parts, cut)
            }
        }
    }

    @Test(arguments: [false, true]) func eachPartBeginsWithTheHeader(_ hasLongSizes: Bool) {
        let header = header(), content = [UInt8](repeating: 7, count: 300)
        let media =
            hasLongSizes ? number(1) + Array("mdat".utf8) + number(0) + number(316) + content : box("mdat", content)
        let pieces = (0..<10).map { _ in fragment() + media }
        let (parts, _) = parts(header + box("free", [1]) + pieces.flatMap(\.self), limit: 650)
        // The fourth header is beyond the limit.
        #expect(parts.count == 4)
        #expect(parts[0] == header + box("free", [1]) + pieces[..<3].flatMap(\.self))
        for part in parts[1...] { #expect(part.starts(with: header + pieces[0])) }
        #expect(parts.map(\.count).reduce(0, +) == header.count * 4 + box("free", [1]).count + pieces.joined().count)
    }

    /// A header of a few bytes may stand for thousands of samples.
    @Test func samplesCountWhereverTheyAreListed() {
        let stream = header() + (0..<4).flatMap { _ in fragment(samples: 100) }
        #expect(parts(stream, limit: 5000).parts.count == 2)
        #expect(parts(stream, limit: 10_000).parts.count == 1)
    }

    @Test func fragmentsWithoutTimesContinue() {
        let stream = header() + (0..<6).flatMap { _ in fragment(time: nil, samples: 3, second: 2) }
        var offsets: [[Int64]] = []
        let (parts, end) = parts(stream, limit: 450) { cut in
            offsets.append([cut.offset(ofTrack: 1), cut.offset(ofTrack: 2), cut.offset(ofTrack: 3)])
        }
        #expect(parts.count == 3 && end.step == .show(8))
        #expect(offsets == [[60, 28, 0], [120, 56, 0]])
    }

    @Test func lateTimesStartAnotherPart() {
        let silent = fragment(time: nil, samples: 3)
        let reported = fragment(time: 500, samples: 3)
        var offsets: [Int64] = []
        let (parts, _) = parts(header() + silent + silent + silent + reported + silent + silent, limit: 450) { cut in
            offsets.append(cut.offset(ofTrack: 1))
        }
        // Beyond the limit after two; where times are given, since they are whole; and after two again.
        #expect(parts.count == 4)
        #expect(offsets == [60, 0, 560])
    }

    /// Samples in the header come once, and count.
    @Test func theHeaderOfOtherPartsNamesNoSamples() {
        let stream = header(samples: 4) + box("mdat", [1, 2, 3, 4]) + (0..<4).flatMap { _ in fragment(time: nil) }
        var offsets: [Int64] = []
        let (parts, _) = parts(stream, limit: 450) { offsets.append($0.offset(ofTrack: 1)) }
        #expect(parts.count == 2 && offsets == [80])
        #expect(parts[0].starts(with: header(samples: 4)))
        let sizes = box("stsz", number(0) + number(0) + number(0) + [UInt8](repeating: 1, count: 16))
        #expect(parts[1].firstRange(of: sizes) != nil && parts[1].firstRange(of: number(4) + number(10)) != nil)
        #expect(parts[1].firstRange(of: number(1) + number(4) + number(10)) == nil)
    }

    @Test(arguments: ["index", "another header", "no header", "no size", "text", "nothing", "another track", "short"])
    func unsplittableStreamsAreUnchanged(_ what: String) {
        let header = header()
        let stream: [UInt8] =
            switch what {
            case "index": header + box("sidx", [1]) + (0..<9).flatMap { _ in fragment(time: nil) }
            case "another header": header + box("moov", [9]) + fragment()
            case "no header": box("ftyp", [1]) + fragment()
            case "no size": header + [0, 0, 0, 0] + Array("mdat".utf8)
            case "text": Array("WEBVTT and more".utf8)
            case "another track": header + box("moof", box("traf", box("tfhd", number(0) + number(3))))
            case "short":
                header
                    + box(
                        "moof", box("traf", box("tfhd", number(0) + number(1)) + box("trun", number(0x100) + number(9)))
                    )
            default: []
            }
        let (parts, end) = parts(stream, limit: 350)
        #expect(parts.count == 1 && stream.starts(with: parts[0]))
        #expect(end.step == (stream.isEmpty ? .show(8) : .never))
    }

    /// Whatever sizes and names a stream claims, the output equals the input, and each part begins with the same
    /// header.
    @Test func claimedSizesNeverLoseOrAddBytes() {
        let piece = fragment(time: nil, second: 1) + box("mdat", [UInt8](repeating: 7, count: 30))
        let whole = header(samples: 2) + (0..<10).flatMap { _ in piece }
        var generator = SeededGenerator(seed: 21)
        for _ in 0..<3000 {
            var stream = whole
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: stream.indices, using: &generator)
                stream[place] = .random(in: .min ... .max, using: &generator)
            }
            let (parts, end) = parts(stream, limit: 450)
            #expect(parts.dropFirst().allSatisfy { $0.starts(with: end.header) })
            let given = parts[0] + parts.dropFirst().flatMap { $0.dropFirst(end.header.count) }
            #expect(stream.starts(with: given))
        }
    }
}
