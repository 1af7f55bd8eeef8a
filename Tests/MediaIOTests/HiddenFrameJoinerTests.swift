import Testing

@testable import MediaIO

@Suite("Hidden frames in separate packets")
struct HiddenFrameJoinerTests {
    private func isSuperframe(_ bytes: [UInt8]) -> Bool { VPXHeader.isSuperframe(bytes.span) }
    private func role(ofVP9 bytes: [UInt8]) -> CodedPicture.Role? { VPXHeader.role(ofVP9: bytes.span) }
    private func packet(_ bytes: [UInt8]) -> AV1Packet { AV1Packet(bytes.span) }

    @Test func aSuperframeHasItsFramesAndAnIndex() {
        let frames: [[UInt8]] = [[1, 2, 3], [UInt8](repeating: 7, count: 300)]
        let joined = VPXHeader.superframe(of: frames)
        let index: [UInt8] = [0xC9, 3, 0, 44, 1, 0xC9]
        #expect(joined == frames[0] + frames[1] + index)
        #expect(isSuperframe(joined))
        // The last byte alone proves nothing.
        let alike: [UInt8] = [0x84, 0, 0, 0, 0xC9]
        #expect(!isSuperframe(alike))
        #expect(role(ofVP9: alike) == nil)
    }

    @Test func aTemporalUnitHasOneDelimiterAndAllSizes() {
        // The last unit of a packet may leave its size out.
        let hidden: [UInt8] = [0x12, 0, 0x30, 0x20, 5], shown: [UInt8] = [0x12, 0, 0x32, 2, 0x30, 6]
        #expect(packet(hidden).isHidden && !packet(shown).isHidden)
        let joined = AV1Packet.joined([hidden, shown])
        #expect(joined == [0x12, 0, 0x32, 2, 0x20, 5, 0x32, 2, 0x30, 6])
        #expect(packet(joined).role == .dependent)
        let long = AV1Packet.joined([[0x30] + [UInt8](repeating: 0x30, count: 200)])
        #expect(long.prefix(3) == [0x32, 0xC8, 1] && long.count == 203)
    }

    /// Its frames have no bit that indicates whether they are shown.
    @Test func aStillPictureIsShown() {
        let still: [UInt8] = [0x0A, 1, 0x18, 0x32, 2, 0, 0]
        #expect(!packet(still).isHidden)
    }
}
