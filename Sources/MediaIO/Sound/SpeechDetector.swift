/// Detects a voice in sound, in steps of 20 ms.
///
/// Vowels are periodic, at the pitch of a voice, and louder than the background. A step counts as voiced if its level
/// exceeds the background's, and if it resembles itself one pitch period earlier. Consonants and the gaps between
/// syllables are bridged. Music with a melody may count as speech. These are the two features of the classical detectors
/// (Rabiner and Schafer, "Digital Processing of Speech Signals", 1978, 4.3 and 4.8).
struct SpeechDetector: Sendable {
    /// The duration of a step, in seconds.
    static let step = 0.02
    /// The approximate rate at which sound is examined, in samples a second. The first two formants of vowels are below
    /// half of it.
    private static let targetRate = 4000.0
    /// The lowest and the highest pitch, in hertz.
    private static let pitches = 70.0...400.0
    /// The factor by which a voice's energy exceeds the background's (9 dB), and the energy that it exceeds (-58 dB; full
    /// scale is 1).
    private static let margin: Float = 8, quietest: Float = 1.6e-6
    /// The correlation with the previous pitch period that a voice exceeds, 0…1.
    private static let periodicity: Float = 0.5
    /// The share by which the estimate of the background's energy rises in a second while it is exceeded (1.5 dB). A voice
    /// that is 20 dB louder than the background could continue for seven seconds without a pause.
    private static let rise: Float = 0.35
    /// The number of voiced steps among the last `recent` ones from which someone speaks.
    private static let minimumVoiced = 4, recent = 10
    /// The time for which someone still counts as speaking after the last voiced step, in seconds.
    private static let hangover = 0.4

    /// The number of input samples for each examined one, and the rate of the latter.
    private let factor: Int
    private let rate: Double
    private let samplesInStep: Int
    /// The examined samples of the last two steps, the sum of input samples for the next one, and their number.
    private var window: [Float] = []
    private var sum: Float = 0
    private var count = 0
    /// The energy of the background; `nil` before the first step.
    private var floor: Float?
    private var voiced: [Bool] = []
    private var sinceVoice = Double.infinity

    /// - Parameter rate: The input's samples a second.
    init(rate: Double) {
        factor = max(1, Int((rate / Self.targetRate).rounded()))
        self.rate = rate / Double(factor)
        samplesInStep = max(1, Int((self.rate * Self.step).rounded()))
    }

    /// The duration of a step in seconds, which is a whole number of samples.
    var stepDuration: Double { Double(samplesInStep) / rate }

    /// Examines the next samples.
    ///
    /// - Parameters:
    ///   - samples: The mean of all channels; 1 is full scale.
    ///   - body: Receives for each step that they complete whether someone speaks.
    mutating func add(_ samples: [Float], _ body: (Bool) -> Void) {
        for sample in samples {
            sum += sample
            count += 1
            guard count == factor else { continue }
            window.append(sum / Float(factor))
            (sum, count) = (0, 0)
            if window.count == 2 * samplesInStep {
                body(isSpeech())
                window.removeFirst(samplesInStep)
            }
        }
    }

    /// Evaluates the window.
    private mutating func isSpeech() -> Bool {
        let mean = window.reduce(0, +) / Float(window.count)
        let centred = window.map { $0 - mean }
        let energy = centred.reduce(0) { $0 + $1 * $1 } / Float(centred.count)
        // Digital silence would keep the estimate at 0.
        let background = max(
            min(energy, floor.map { $0 * (1 + Self.rise * Float(stepDuration)) } ?? energy), Self.quietest / 100)
        floor = background
        let isVoiced =
            energy > max(background * Self.margin, Self.quietest) && periodicity(of: centred) > Self.periodicity
        if voiced.count == Self.recent { voiced.removeFirst() }
        voiced.append(isVoiced)
        let isNew = voiced.count(where: \.self) >= Self.minimumVoiced
        // A single voiced step continues speech, but does not begin it.
        if isNew || (isVoiced && sinceVoice <= Self.hangover) { sinceVoice = 0 } else { sinceVoice += stepDuration }
        return sinceVoice <= Self.hangover
    }

    /// Returns the greatest correlation of the samples with those one pitch period earlier, 0…1.
    private func periodicity(of samples: [Float]) -> Float {
        let lags = Int(rate / Self.pitches.upperBound)...Int(rate / Self.pitches.lowerBound)
        let length = samples.count - lags.upperBound
        guard length > 0 else { return 0 }
        var best: Float = 0
        for lag in lags {
            var (product, first, second): (Float, Float, Float) = (0, 0, 0)
            for index in 0..<length {
                let (now, later) = (samples[index], samples[index + lag])
                product += now * later
                first += now * now
                second += later * later
            }
            if first > 0, second > 0 { best = max(best, product / (first * second).squareRoot()) }
        }
        return best
    }
}
