/// How many frames a second are shown at most while effects run.
public enum EffectsFrameRate: Sendable, Hashable {
    /// So many, above 0.
    case limit(Double)
    /// Half of those of an input with more than 45 frames a second, as from 60 to 30; all of a slower one.
    case automatic

    /// Above this rate every second frame is enough for the eye while much is going on: half of the
    /// next usual rate, 48, is still a film's.
    static let halvedAbove = 45.0

    /// The most frames a second, for an input of a nominal rate; `nil` where all stay.
    package func rate(forInput inputRate: Double?) -> Double? {
        switch self {
        case .limit(let rate): rate
        case .automatic: inputRate.flatMap { $0 > Self.halvedAbove ? $0 / 2 : nil }
        }
    }
}

extension Configuration {
    /// The limit that holds all the time. In a live run `automatic` waits until the machine is too slow.
    var limitWhileEffectsRun: EffectsFrameRate? {
        isLive && encoding.effectsFrameRate == .automatic ? nil : encoding.effectsFrameRate
    }
}
