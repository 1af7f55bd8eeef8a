import Testing

@testable import MediaIO

@Suite("Packets of AV1")
struct AV1PacketTests {
    private let delimiter: [UInt8] = [0x12, 0]
    private let sequence: [UInt8] = [0x0A, 3, 1, 2, 3]

    /// A frame with the first bits of its header: the flag that shows an existing frame, its type, and the flag that
    /// shows it.
    private func frame(showsKnown: Bool = false, type: UInt8, isShown: Bool) -> [UInt8] {
        [0x32, 2, (showsKnown ? 0x80 : 0) | type << 5 | (isShown ? 0x10 : 0), 0xFF]
    }

    private func packet(_ units: [UInt8]...) -> AV1Packet {
        let bytes = units.flatMap(\.self)
        return AV1Packet(bytes.span)
    }

    @Test func shownKeyFramesAreEntries() {
        let packet = packet(delimiter, sequence, frame(type: 0, isShown: true))
        #expect(packet.role == .entry)
        #expect(packet.sequenceHeader == [1, 2, 3])
    }

    @Test func otherPacketsDependOnFrames() {
        #expect(packet(frame(type: 1, isShown: true)).role == .dependent)
        #expect(packet(frame(type: 1, isShown: false), frame(type: 1, isShown: true)).role == .dependent)
        #expect(packet(frame(showsKnown: true, type: 0, isShown: false)).role == .dependent)
        // Frames between a key frame and its presentation time may refer to frames before it.
        #expect(packet(sequence, frame(type: 0, isShown: false), frame(type: 1, isShown: true)).role == .dependent)
    }

    @Test func aPacketShowsOnePicture() {
        #expect(packet(delimiter).role == nil)
        #expect(packet(frame(type: 1, isShown: false)).role == nil)
        #expect(packet(frame(type: 1, isShown: true), frame(type: 1, isShown: true)).role == nil)
        // The second frame is the same picture in another size.
        #expect(packet(frame(type: 1, isShown: false), [0x36, 0x08, 1, 0x30]).role == nil)
    }

    @Test func perPictureMessagesAreDetected() {
        #expect(packet([0x2A, 2, 4, 0xB5], frame(type: 1, isShown: true)).hasMessages)
        #expect(!packet([0x2A, 2, 1, 0xB5], frame(type: 1, isShown: true)).hasMessages)
    }

    @Test func damagedUnitsEndAPacket() {
        #expect(packet(frame(type: 0, isShown: true), [0x32, 9, 0x10]).role == .entry)
        #expect(packet([0x32]).role == nil)
        #expect(packet([0x32, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]).role == nil)
        #expect(packet([0x36]).role == nil)
        #expect(packet([]).role == nil)
    }
}
