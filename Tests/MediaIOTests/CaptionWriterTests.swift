import Testing

@testable import MediaIO

@Suite("Closed captions in encoded packets")
struct CaptionWriterTests {
    /// A message holds at most 31 triplets, so more of them are written as several messages, in order.
    @Test(arguments: [1, 20, 31, 32, 40, 93, 100])
    func allTripletsAreWritten(_ count: Int) {
        let bytes = (0..<count * 3).map { UInt8(truncatingIfNeeded: $0) }
        let messages = CaptionWriter.messages(bytes)
        #expect(messages.count == (count + 30) / 31)
        // The payload has nine bytes and the count before the triplets, and one after them.
        let written = messages.flatMap { $0.payload[10...].dropLast() }
        #expect(written == bytes)
        for message in messages {
            #expect(message.type == 4)
            #expect(Int(message.payload[8] & 31) * 3 == message.payload.count - 11)
        }
    }
}
