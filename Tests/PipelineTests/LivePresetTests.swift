import Testing

@testable import Pipeline

@Suite struct LivePresetTests {
    @Test(
        arguments: [
            (1280, 720, 30, 2, nil), (1280, 720, 60, 2, "superfast"), (1920, 1080, 30, 2, "superfast"),
            (1920, 1080, 60, 2, "ultrafast"), (1920, 1080, 30, 4, nil), (3840, 2160, 30, 8, "superfast"),
            (1280, 720, nil, 1, "superfast"), (640, 360, 30, 0, nil),
        ] as [(Int, Int, Double?, Int, String?)])
    func largerPicturesGetFasterPresets(_ width: Int, _ height: Int, _ rate: Double?, _ cores: Int, _ name: String?) {
        #expect(LivePreset.name(width: width, height: height, rate: rate, cores: cores) == name)
    }
}
