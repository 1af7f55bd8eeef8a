import Testing

@testable import Studio

@Suite struct TimecodeRateTests {
    /// SMPTE ST 12-1: frame numbers 0 and 1 of each minute are left out, but for every tenth; 0 to 3 at 59.94.
    @Test(arguments: [
        (29.97, 0, "00:00:00;00"), (29.97, 1799, "00:00:59;29"), (29.97, 1800, "00:01:00;02"),
        (29.97, 3597, "00:01:59;29"),
        (29.97, 3598, "00:02:00;02"), (29.97, 17981, "00:09:59;29"), (29.97, 17982, "00:10:00;00"),
        (29.97, 19782, "00:11:00;02"), (29.97, 107_892, "01:00:00;00"), (29.97, 2_589_408, "24:00:00;00"),
        (59.94, 3599, "00:00:59;59"), (59.94, 3600, "00:01:00;04"), (59.94, 35_964, "00:10:00;00"),
    ])
    func dropFrameSkipsNumbers(_ framesPerSecond: Double, _ frame: Int, _ timecode: String) {
        let rate = TimecodeRate(framesPerSecond, isDropFrame: true)
        #expect(rate.timecode(frame) == timecode)
        #expect(rate.frame(of: timecode[...]) == frame)
        #expect(rate.frame(of: Substring(timecode.replacing(";", with: "."))) == frame)
    }

    @Test(arguments: [
        (24.0, 86_399, "00:59:59:23"), (25, 90_000, "01:00:00:00"), (29.97, 17_982, "00:09:59:12"),
        (120, 119, "00:00:00:119"),
        (23.976, 24, "00:00:01:00"),
    ])
    func otherTimecodeCountsEveryFrame(_ framesPerSecond: Double, _ frame: Int, _ timecode: String) {
        #expect(TimecodeRate(framesPerSecond).timecode(frame) == timecode)
        #expect(TimecodeRate(framesPerSecond).frame(of: timecode[...]) == frame)
    }

    @Test(arguments: [29.97, 59.94]) func everyFrameHasATimecodeOfItsOwn(_ framesPerSecond: Double) {
        let rate = TimecodeRate(framesPerSecond, isDropFrame: true)
        for frame in 0..<75_000 where rate.frame(of: rate.timecode(frame)[...]) != frame {
            Issue.record("frame \(frame) is \(rate.timecode(frame))")
            return
        }
    }

    @Test func invalidTimecodesAreRejected() {
        let rate = TimecodeRate(29.97, isDropFrame: true)
        for text in [
            "00:01:00;00", "00:01:00;01", "00:00:00;30", "00:60:00;00", "00:00:61;00", "1:2:3", "", "a:b:c:d",
            "-1:00:00:00", "00:00:00:0٣",
        ] {
            #expect(rate.frame(of: text[...]) == nil, "\(text)")
        }
        #expect(rate.frame(of: "00:01:00;02") == 1800)
    }

    @Test(arguments: [
        (29.97003, 30000, 1001), (29.97, 30000, 1001), (23.976024, 24000, 1001), (59.94006, 60000, 1001),
        (119.88, 120_000, 1001),
        (30, 30, 1), (24.0001, 24, 1), (25, 25, 1), (5, 5, 1),
        // Timecode does not support variable rates and fractions.
        (29.87, 30, 1), (12.5, 30, 1), (0, 30, 1), (.infinity, 30, 1), (1000, 30, 1),
    ])
    func ratesAreLimitedToTimecodeRates(_ framesPerSecond: Double, _ frames: Int, _ seconds: Int) {
        let rate = TimecodeRate(framesPerSecond)
        #expect(rate.frames == frames && rate.seconds == seconds)
    }

    @Test func dropFrameIsForTwoRates() {
        #expect(TimecodeRate(nil).framesPerSecond == 30)
        for rate in [23.976, 24, 25, 30, 60, 119.88] { #expect(!TimecodeRate(rate, isDropFrame: true).isDropFrame) }
    }
}
