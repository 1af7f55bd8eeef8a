import Testing

@testable import Pipeline

@Suite("How many spans go on at once")
struct SpanMemoryTests {
    /// A picture's pixels, the machine's cores, and how many spans.
    @Test(arguments: [
        (1280 * 720, 2, 2), (1280 * 720, 1, 1), (1920 * 1080, 1, 1), (1920 * 1080, 2, 1), (3840 * 2160, 16, 8),
        (0, 4, 4),
    ])
    func largePicturesAreLimited(_ pixels: Int, _ cores: Int, _ spans: Int) {
        #expect(SpanWorkshop.mostSpans(pixels: pixels, cores: cores) == spans)
    }
}
