import Testing

@testable import MediaIO

@Suite("Packets of MPEG-2 and MPEG-4 Visual")
struct MPEGPictureTests {
    private static let sequence: [UInt8] = [0, 0, 1, 0xB3, 0x0A, 0x00]
    private static let closedGroup: [UInt8] = [0, 0, 1, 0xB8, 0, 8, 0, 0x40]
    private static let openGroup: [UInt8] = [0, 0, 1, 0xB8, 0, 8, 0, 0]

    /// A picture header of MPEG-2 with `temporal_reference` 3, and a picture coding extension.
    private static func picture(type: UInt8, structure: UInt8 = 3) -> [UInt8] {
        [
            0, 0, 1, 0, 0, 0xC0 | type << 3, 0xFF, 0xF8, 0, 0, 1, 0xB5, 0x8F, 0xFF, 0xF0 | structure, 0x80, 0, 0, 1, 1,
            0x10,
        ]
    }

    private func mpeg2(_ parts: [UInt8]...) -> MPEGPicture {
        let bytes = parts.flatMap(\.self)
        return MPEGPicture(bytes.span, isMPEG2: true)
    }

    @Test func kindsAndGroupsOfMPEG2AreParsed() {
        let first = mpeg2(Self.sequence, Self.closedGroup, Self.picture(type: 1))
        #expect(first.kind == .intra && first.isClosed && first.header == Self.sequence)
        let open = mpeg2(Self.openGroup, Self.picture(type: 1))
        #expect(open.kind == .intra && !open.isClosed && open.header == nil)
        #expect(mpeg2(Self.picture(type: 2)).kind == .predicted)
        #expect(mpeg2(Self.picture(type: 3)).kind == .bidirectional)
    }

    /// Two fields are one picture; two frames are not.
    @Test func aPacketHasOnePicture() {
        #expect(mpeg2(Self.picture(type: 1, structure: 1), Self.picture(type: 2, structure: 2)).kind == .intra)
        #expect(mpeg2(Self.picture(type: 2), Self.picture(type: 3)).kind == nil)
        #expect(mpeg2(Self.sequence).kind == nil)
        #expect(mpeg2([]).kind == nil && mpeg2([0, 0, 1]).kind == nil)
    }

    @Test func picturesOfMPEG4AreParsed() {
        let layer: [UInt8] = [0, 0, 1, 0xB0, 1, 0, 0, 1, 0, 0, 0, 1, 0x20, 0x86]
        let group: [UInt8] = [0, 0, 1, 0xB3, 0, 0, 0x20]
        func picture(_ type: UInt8) -> [UInt8] { [0, 0, 1, 0xB6, type << 6 | 0x10] }
        func read(_ bytes: [UInt8]) -> MPEGPicture { MPEGPicture(bytes.span, isMPEG2: false) }
        let first = read(layer + group + picture(0))
        #expect(first.kind == .intra && first.isClosed && first.header == layer)
        #expect(read(picture(1)).kind == .predicted && read(picture(2)).kind == .bidirectional)
        // Two pictures in a packet: the B picture of an AVI file comes with the picture after it.
        #expect(read(picture(1) + picture(2)).kind == nil)
        // A file's header alone.
        #expect(read(layer).header == layer)
    }
}
