import Testing

@testable import MediaIO

@Suite("Messages of pictures")
struct CarriedMessagesTests {
    private let timeBase = Rational(1, 30)
    private let captions = SEIMessage(type: 4, payload: [0xB5, 0, 0x31, 0, 0, 0, 1, 0, 0, 2])
    private let light = SEIMessage(type: 144, payload: [3, 232, 1, 144])
    private let flourish: [UInt8] = Array(1...16)

    private func carried(_ codec: SpliceCodec, replaced: [UInt8]? = nil) throws -> CarriedMessages {
        try #require(CarriedMessages(codec, framing: .startCodes, timeBase: timeBase, replaced: replaced))
    }

    private func time(_ value: Int64, _ base: TimeBase? = nil) -> MediaTime {
        MediaTime(value: value, timeBase: base ?? timeBase)
    }

    private func packet(_ messages: [SEIMessage], codec: NALCodec, slice: [UInt8]) -> [UInt8] {
        let units = [SEIMessage.unit(of: messages, codec: codec), slice].compactMap(\.self)
        return NALFraming.startCodes.joined(units)
    }

    @Test(arguments: [.h264, .hevc] as [NALCodec])
    func unitsSurviveARoundTrip(codec: NALCodec) throws {
        let long = SEIMessage(type: 300, payload: [UInt8](repeating: 0, count: 600))
        let unit = try #require(SEIMessage.unit(of: [captions, long, light], codec: codec))
        #expect(SEIMessage.messages(in: unit[...], codec: codec) == [captions, long, light])
        // No byte sequence in it resembles a start code.
        #expect(!unit.indices.dropFirst(2).contains { unit[$0] < 3 && unit[$0 - 1] == 0 && unit[$0 - 2] == 0 })
        #expect(SEIMessage.unit(of: [], codec: codec) == nil)
    }

    @Test func picturesKeepTheirMessages() throws {
        let messages = try carried(.h264)
        messages.record(packet([captions], codec: .h264, slice: [0x41, 1]), at: time(7))
        // The encoder counts in other ticks.
        let units = messages.added(to: [[0x41, 2]], at: time(7_000, Rational(1, 30_000)), isEntry: false)
        #expect(units == [try #require(SEIMessage.unit(of: [captions], codec: .h264)), [0x41, 2]])
        #expect(messages.added(to: [[0x41, 2]], at: time(8), isEntry: false) == [[0x41, 2]])
    }

    /// A span begins with an entry where the source had none: messages of the source's entry hold there.
    @Test func persistentMessagesAreRepeatedAtEntries() throws {
        let messages = try carried(.hevc)
        messages.record(packet([light], codec: .hevc, slice: [19 << 1, 1, 0]), at: time(0))
        messages.record(packet([], codec: .hevc, slice: [1 << 1, 1, 0]), at: time(1))
        messages.record(packet([], codec: .hevc, slice: [1 << 1, 1, 0]), at: time(2))
        messages.record(packet([], codec: .hevc, slice: [19 << 1, 1, 0]), at: time(3))
        let unit = try #require(SEIMessage.unit(of: [light], codec: .hevc))
        let entry: [UInt8] = [19 << 1, 1, 1], slice: [UInt8] = [1 << 1, 1, 1]
        #expect(messages.added(to: [entry], at: time(1), isEntry: true) == [unit, entry])
        #expect(messages.added(to: [slice], at: time(2), isEntry: false) == [slice])
        // The source's next entry has no such message.
        #expect(messages.added(to: [entry], at: time(3), isEntry: true) == [entry])
    }

    @Test func messagesAboutTheSourcesCodingAreDropped() throws {
        let messages = try carried(.h264, replaced: flourish)
        let signature = SEIMessage(type: 5, payload: SEIMessage.x264Signature + Array("x264".utf8))
        let own = SEIMessage(type: 5, payload: flourish + [9])
        let others = SEIMessage(type: 5, payload: flourish.reversed() + [9])
        let recovery = SEIMessage(type: 6, payload: [0xC4])
        messages.record(packet([signature, own, others, recovery], codec: .h264, slice: [0x41]), at: time(0))
        let unit = try #require(SEIMessage.unit(of: [others], codec: .h264))
        #expect(messages.added(to: [[0x41]], at: time(0), isEntry: false) == [unit, [0x41]])
    }

    @Test func dolbyVisionFollowsThePicture() throws {
        let messages = try carried(.hevc)
        let slice: [UInt8] = [1 << 1, 1, 0], vision: [UInt8] = [62 << 1, 1, 25, 8]
        messages.record(NALFraming.startCodes.joined([slice, vision]), at: time(0))
        #expect(messages.added(to: [slice], at: time(0), isEntry: false) == [slice, vision])
    }

    @Test func otherCodecsHaveNoMessages() {
        #expect(CarriedMessages(.vp9, framing: .startCodes, timeBase: timeBase) == nil)
    }
}
