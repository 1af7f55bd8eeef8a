import Testing

@testable import Platform

@Suite("File names in any bytes")
struct RawNameTests {
    @Test(
        arguments: [
            Array("call.mp4".utf8), Array("Anruf äöü 😀.mp4".utf8), [0x63, 0xE9, 0x2E], [0xFF], [0xC3], [0xE2, 0x82],
            [0xF4, 0x8F, 0xBF, 0xA9], [0x61, 0xED, 0xA0, 0x80, 0x62], [],
        ] as [[UInt8]])
    func allNamesRoundTrip(_ bytes: [UInt8]) {
        let text = RawName.text(bytes)
        #expect(RawName.bytes(text) == bytes)
        #expect(RawName.isEscaped(text) == (String(validating: bytes, as: UTF8.self) != text))
    }

    @Test func textIsUnchanged() {
        #expect(RawName.text(Array("café".utf8)) == "café")
        #expect(RawName.text([0x63, 0x61, 0x66, 0xE9]).unicodeScalars.map(\.value) == [0x63, 0x61, 0x66, 0x10FFE9])
    }
}
