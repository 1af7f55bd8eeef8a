import Testing

@testable import FlourishControl

@Suite struct ByteRangeTests {
    @Test(
        arguments: [
            (nil, .whole), ("bytes=0-9", .part(0..<10)), ("bytes=90-", .part(90..<100)), ("bytes=-5", .part(95..<100)),
            ("bytes=-500", .part(0..<100)), ("bytes=40-4000", .part(40..<100)), ("bytes=100-", .beyond),
            ("bytes=100-200", .beyond), ("bytes=-0", .beyond), ("bytes=9-3", .whole), ("bytes=", .whole),
            ("bytes=-", .whole),
            ("bytes=a-b", .whole), ("bytes=0-1,5-6", .whole), ("lines=0-9", .whole), ("bytes=+1-2", .whole),
            ("bytes=99999999999999999999-", .whole),
        ] as [(String?, ByteRange)])
    func rangesFollowTheHeaderField(_ field: String?, _ range: ByteRange) {
        #expect(ByteRange(field, size: 100) == range)
    }

    @Test func emptyFilesHaveNoRange() {
        #expect(ByteRange("bytes=0-", size: 0) == .beyond)
        #expect(ByteRange("bytes=-4", size: 0) == .beyond)
    }
}
