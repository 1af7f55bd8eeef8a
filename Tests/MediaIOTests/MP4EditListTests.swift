import Testing

@testable import MediaIO

@Suite("Ends of edit lists")
struct MP4EditListTests {
    private func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        number(UInt64(content.count + 8), 4) + Array(name.utf8) + content
    }

    private func number(_ value: UInt64, _ width: Int) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private func full(_ version: UInt8, _ fields: [(value: UInt64, isWide: Bool)]) -> [UInt8] {
        [version, 0, 0, 0] + fields.flatMap { number($0.value, $0.isWide && version == 1 ? 8 : 4) }
    }

    private func track(_ id: UInt64, _ version: UInt8, edits: [UInt64]) -> [UInt8] {
        let head = full(version, [(1, true), (2, true), (id, false), (0, false), (edits.reduce(0, +), true)])
        let list =
            [version, 0, 0, 0] + number(UInt64(edits.count), 4)
            + edits.flatMap { number($0, version == 1 ? 8 : 4) + number(0, version == 1 ? 8 : 4) + [0, 1, 0, 0] }
        return box("trak", box("tkhd", head) + box("edts", box("elst", list)))
    }

    /// A movie with 1,000 ticks a second and two tracks.
    private func movie(_ version: UInt8, _ first: [UInt64], _ second: [UInt64]) -> [UInt8] {
        let longest = max(first.reduce(0, +), second.reduce(0, +))
        let head = full(version, [(1, true), (2, true), (1000, false), (longest, true)])
        return box("moov", box("mvhd", head) + track(1, version, edits: first) + track(2, version, edits: second))
    }

    @Test(arguments: [0, 1] as [UInt8])
    func theTrackAndTheMovieBecomeShorter(_ version: UInt8) {
        var bytes = movie(version, [20, 4000], [3100])
        let track = MP4EditList.Track(id: 1, timeBase: Rational(1, 30), start: 0, shownEnd: 90, end: 120)
        #expect(MP4EditList.hideEnd(of: track, in: &bytes))
        #expect(bytes == movie(version, [20, 3000], [3100]))
    }

    /// The first hidden picture begins where the last shown one ends: an edit that is rounded up would show it.
    @Test(arguments: [(start: 0, whole: 4004), (start: -3, whole: 4004), (start: 2, whole: 3938)] as [(Int64, UInt64)])
    func theEditIsRoundedDown(_ start: Int64, _ whole: UInt64) {
        var bytes = movie(0, [whole], [1])
        let track = MP4EditList.Track(
            id: 1, timeBase: Rational(1001, 30000), start: start, shownEnd: 91, end: 120)
        #expect(MP4EditList.hideEnd(of: track, in: &bytes))
        let shown = Double(91 - max(0, start)) * 1001 / 30
        #expect(bytes == movie(0, [UInt64(shown)], [1]))
    }

    @Test func filesWithoutSuchAnEditListAreUnchanged() {
        let track = MP4EditList.Track(id: 3, timeBase: Rational(1, 30), start: 0, shownEnd: 90, end: 120)
        for var bytes in [movie(0, [4000], [3100]), Array(movie(0, [4000], [3100]).prefix(100)), [], box("moov", [])] {
            let before = bytes
            #expect(!MP4EditList.hideEnd(of: track, in: &bytes))
            #expect(bytes == before)
        }
    }
}
