/// The sound of the call: a murmur that follows the puppet's mouth, and a soft
/// blip where each pose is reached, by which one hears whether sound and picture keep in step.
struct SoundTrack: Sendable {
    static let sampleRate = 48_000

    let voice: PuppetVoice
    /// The seconds of the blips.
    let blips: [Double]

    init(script: PuppetScript, seed: UInt32) {
        voice = PuppetVoice(seed: seed)
        blips = script.cues.map(\.time).sorted()
    }

    /// The samples `range`, counted from the call's beginning; −1…1, one channel.
    func samples(_ range: Range<Int>) -> [Float] {
        range.map { index in
            let time = Double(index) / Double(Self.sampleRate)
            return Float(murmur(at: time) + blip(at: time))
        }
    }

    private func murmur(at time: Double) -> Double {
        let loudness = voice.openness(at: time)
        guard loudness > 0.01 else { return 0 }
        // The pitch glides between 105 and 135 Hz; its integral gives the phase.
        let turn = 2 * Double.pi * (120 * time - 15 / 2.1 * cosine(2.1 * time) / (2 * Double.pi))
        let tone =
            sine(turn) + 0.5 * sine(2 * turn) + 0.45 * loudness * sine(3 * turn)
            + 0.3 * loudness * sine(5 * turn) + 0.08 * sine(9 * turn)
        return 0.045 * loudness * tone
    }

    private func blip(at time: Double) -> Double {
        for start in blips where time >= start && time < start + 0.25 {
            let t = time - start
            let attack = min(1, t / 0.004)
            return 0.16 * attack * Double(exponential(Float(-t * 18))) * sine(2 * Double.pi * 1046.5 * t)
        }
        return 0
    }
}
