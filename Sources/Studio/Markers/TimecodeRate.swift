/// A frame rate that timecode knows, and how it counts frames.
///
/// Timecode counts whole frames a second. At 29.97 (30000/1001) that falls behind the clock by 3.6 s an hour;
/// *drop-frame* timecode leaves out numbers, of no frames, to keep up: the first two of each minute, but for every
/// tenth; four at 59.94. SMPTE ST 12-1; in short https://en.wikipedia.org/wiki/SMPTE_timecode#Drop-frame_timecode
struct TimecodeRate: Sendable, Hashable {
    /// Frames in so many seconds, such as 30000 in 1001.
    let frames: Int
    let seconds: Int
    /// Whether numbers are left out.
    let isDropFrame: Bool

    /// Where the recording does not say, or says what timecode does not know: its frames come at any time, and an
    /// editing program puts them on a timeline of its own rate.
    static let usual = 30.0

    /// - Parameter framesPerSecond: 23.976, 29.97 and their like stand for the fractions of 1001.
    init(_ framesPerSecond: Double?, isDropFrame: Bool = false) {
        let wanted = Self.isKnown(framesPerSecond) ? framesPerSecond ?? Self.usual : Self.usual
        let count = wanted.rounded()
        let isFraction =
            abs(wanted - count * 1000 / 1001) < abs(wanted - count) && [24, 30, 48, 60, 120].contains(count)
        (frames, seconds) = isFraction ? (Int(count) * 1000, 1001) : (Int(count), 1)
        self.isDropFrame = isDropFrame && isFraction && [30, 60].contains(count)
    }

    /// Whether timecode knows the rate: whole numbers, and those of video with colour in the USA.
    static func isKnown(_ framesPerSecond: Double?) -> Bool {
        guard let rate = framesPerSecond, rate.isFinite, (0.98...240.02).contains(rate) else { return false }
        let count = rate.rounded()
        return min(abs(rate - count), abs(rate - count * 1000 / 1001)) < 0.02
    }

    var framesPerSecond: Double { Double(frames) / Double(seconds) }

    /// The frames that timecode counts to a second.
    var base: Int { (frames + seconds / 2) / seconds }

    /// Whether it is one of the fractions, "NTSC" in Final Cut Pro's words.
    var isFraction: Bool { seconds != 1 }

    /// Whether there is drop-frame timecode for it.
    var knowsDropFrame: Bool { isFraction && (base == 30 || base == 60) }

    /// The numbers that are left out of a minute.
    private var left: Int { isDropFrame ? base / 15 : 0 }

    /// The frames that timecode counts in a day, after which a clock begins anew.
    var day: Int { 86_400 * base - left * 9 * 144 }

    /// The frame at a time, the nearest. Any number may stand in a plan, for what is switched off.
    func frame(at seconds: Double) -> Int {
        let frame = (seconds * framesPerSecond).rounded()
        return frame.isNaN ? 0 : Int(min(max(frame, -1e12), 1e12))
    }

    /// When a frame begins, in seconds.
    func time(of frame: Int) -> Double { Double(frame) * Double(seconds) / Double(frames) }

    /// `00:10:00;00` for frame 17982 of drop-frame timecode.
    func timecode(_ frame: Int) -> String {
        let minute = base * 60 - left
        let (tens, rest) = frame.quotientAndRemainder(dividingBy: minute * 10 + left)
        let skipped = tens * 9 + (rest < base * 60 ? 0 : 1 + (rest - base * 60) / minute)
        let number = frame + left * skipped
        func digits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let second = number / base
        return "\(digits(second / 3600)):\(digits(second / 60 % 60)):\(digits(second % 60))"
            + (isDropFrame ? ";" : ":") + digits(number % base)
    }

    /// The frame that a timecode names, whichever signs stand between its numbers; `nil` where there is none.
    func frame(of timecode: Substring) -> Int? {
        let parts = timecode.split(omittingEmptySubsequences: false) { ":;.,".contains($0) }
        let numbers = parts.compactMap { part in part.allSatisfy(\.isASCIIDigit) ? Int(part) : nil }
        guard parts.count == 4, numbers.count == 4, parts.allSatisfy({ (1...3).contains($0.count) }),
            numbers[1] < 60, numbers[2] < 60, numbers[3] < base
        else { return nil }
        let minutes = numbers[0] * 60 + numbers[1]
        if numbers[3] < left, numbers[2] == 0, minutes % 10 != 0 { return nil }
        return (minutes * 60 + numbers[2]) * base + numbers[3] - left * (minutes - minutes / 10)
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
