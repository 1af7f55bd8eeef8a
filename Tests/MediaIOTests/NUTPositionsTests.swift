import Testing

@testable import MediaIO

/// Without it the demuxer of NUT allocated memory for each syncpoint of an endless stream.
@Suite("Byte positions in a stream") struct NUTPositionsTests {
    /// Reads packets of a size, with FFmpeg's byte positions.
    private func read(_ sizes: [(size: Int64, isKey: Bool)]) -> [Int64] {
        let positions = NUTPositions()
        var reported: Int64 = 0
        return sizes.map { packet in
            reported = positions.position(behind: reported + packet.size, stream: 0, isKey: packet.isKey)
            return reported
        }
    }

    @Test func distantFramesShareOnePosition() {
        let places = read((0..<5000).map { (1 << 20, $0 % 10 == 0) })
        #expect(places.prefix(200).enumerated().allSatisfy { Int64($0 + 1) << 20 == $1 })
        #expect(Set(places.suffix(4000)) == [NUTPositions.usual])
    }

    /// A syncpoint that refers to a position before the beginning would be refused, with everything after it.
    @Test func positionsAdvanceBetweenDistantKeyFrames() {
        let places = read((0..<5000).map { (1 << 20, $0 == 0 || $0 == 3000) })
        #expect(places[2999] == 3000 << 20)
        // The key frame before the last is far still.
        #expect(places[4999] == 5000 << 20)
        let often = read((0..<5000).map { (1 << 20, $0 == 0 || $0 > 3000) })
        #expect(often[4999] == NUTPositions.usual)
    }
}
