import Testing

@testable import Pipeline

@Suite("Limit on concurrent spans")
struct SpanLimitTests {
    /// A picture's pixels, the machine's cores and gigabytes, and the number of spans.
    @Test(arguments: [
        (1280 * 720, 2, 8, 2), (1280 * 720, 1, 8, 1), (1920 * 1080, 1, 8, 1), (1920 * 1080, 2, 8, 1),
        (3840 * 2160, 16, 64, 8), (0, 4, 8, 4),
        // Many cores, little memory.
        (1280 * 720, 64, 8, 19), (1920 * 1080, 64, 8, 8), (1920 * 1080, 64, 1, 1), (3840 * 2160, 16, 1, 1),
    ])
    func largePicturesAreLimited(_ pixels: Int, _ cores: Int, _ gigabytes: Int, _ spans: Int) {
        #expect(SegmentEncoderFactory.maximumSpans(pixels: pixels, cores: cores, memory: gigabytes << 30) == spans)
    }
}
