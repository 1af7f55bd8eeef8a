/// How the puppet talks: in phrases with pauses, syllable by syllable. The mouth
/// and the sound track follow the same curve.
struct PuppetVoice: Sendable {
    let phase: Double

    init(seed: UInt32) { phase = Double(seed % 97) }

    /// How wide the mouth is: 0…1.
    func openness(at time: Double) -> Double {
        let phrase = sine(time * 0.8 + phase) + 0.4
        guard phrase > 0 else { return 0 }
        let syllable = sine(time * 13 + 2 * sine(time * 3.1)) * 0.5 + 0.5
        return syllable * min(1, phrase * 1.5)
    }
}
