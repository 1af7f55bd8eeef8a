import Reactions

/// A frame rate that timecode supports, and the way in which timecode counts its frames.
///
/// Timecode counts whole frames a second. At 29.97 (30000/1001) it lags behind the clock by 3.6 s an hour. *Drop-frame*
/// timecode compensates for this by skipping numbers, but no frames: the first two numbers of each minute except every
/// tenth (four at 59.94). SMPTE ST 12-1; in short https://en.wikipedia.org/wiki/SMPTE_timecode#Drop-frame_timecode
struct TimecodeRate: Sendable, Hashable {
    /// The number of frames in ``seconds``: 30000 frames in 1001 seconds at 29.97.
    let frames: Int
    let seconds: Int
    /// True if numbers are skipped.
    let isDropFrame: Bool

    /// The default for a recording without a rate, or with a rate that timecode does not support. Frames of such a
    /// recording can have any time, and an editing program places them on a timeline of its own rate.
    static let usual = 30.0

    /// - Parameter framesPerSecond: The rate. 23.976, 29.97 and similar values denote the fractions of 1001.
    init(_ framesPerSecond: Double?, isDropFrame: Bool = false) {
        let wanted = Self.isKnown(framesPerSecond) ? framesPerSecond ?? Self.usual : Self.usual
        let count = wanted.rounded()
        let isFraction =
            abs(wanted - count * 1000 / 1001) < abs(wanted - count) && [24, 30, 48, 60, 120].contains(count)
        (frames, seconds) = isFraction ? (Int(count) * 1000, 1001) : (Int(count), 1)
        self.isDropFrame = isDropFrame && isFraction && [30, 60].contains(count)
    }

    /// Returns whether timecode supports the rate: integers, and NTSC rates.
    static func isKnown(_ framesPerSecond: Double?) -> Bool {
        guard let rate = framesPerSecond, rate.isFinite, (0.98...240.02).contains(rate) else { return false }
        let count = rate.rounded()
        return min(abs(rate - count), abs(rate - count * 1000 / 1001)) < 0.02
    }

    var framesPerSecond: Double { Double(frames) / Double(seconds) }

    /// The number of frames that timecode counts in a second.
    var base: Int { (frames + seconds / 2) / seconds }

    /// True if the rate is a fraction, "NTSC" in Final Cut Pro's terms.
    var isFraction: Bool { seconds != 1 }

    /// True if drop-frame timecode exists for the rate.
    var knowsDropFrame: Bool { isFraction && (base == 30 || base == 60) }

    /// The number of timecode numbers that are skipped in a minute.
    private var left: Int { isDropFrame ? base / 15 : 0 }

    /// The number of frames that timecode counts in a day, after which its clock restarts.
    var day: Int { 86_400 * base - left * 9 * 144 }

    /// Returns the nearest frame to a time. The result is limited, because disabled reactions of a plan may have any
    /// time.
    func frame(at seconds: Double) -> Int {
        let frame = (seconds * framesPerSecond).rounded()
        return frame.isNaN ? 0 : Int(min(max(frame, -1e12), 1e12))
    }

    /// Returns the start of a frame, in seconds.
    func time(of frame: Int) -> Double { Double(frame) * Double(seconds) / Double(frames) }

    /// Formats a timecode: `00:10:00;00` for frame 17982 of drop-frame timecode.
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

    /// Returns the frame of a timecode, with any separators between its numbers; `nil` for an invalid one.
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
