/// A sound that is mixed into a recording's sound.
package struct MixedSound: Sendable {
    /// The time of the first sample on the packets' clock, in seconds.
    package var start: Double
    /// The samples at the recording's rate, −1…1.
    package var samples: [Float]
    /// The direction: −1 is left, 1 is right.
    package var balance: Float

    package init(start: Double, samples: [Float], balance: Float = 0) {
        (self.start, self.samples, self.balance) = (start, samples, min(max(balance, -1), 1))
    }
}

/// Conversion of times to positions in a stream.
enum SoundTime {
    /// Returns the position of a time in samples. Times of a damaged file may have any value, and are limited.
    static func position(of seconds: Double, rate: Int) -> Int64 {
        Int64(limited(seconds * Double(rate)).rounded())
    }

    /// Returns a number that an integer can hold.
    static func limited(_ value: Double) -> Double { min(max(value, -1e15), 1e15) }
}

/// A sound at its place in a stream.
struct PlacedSound {
    let sound: MixedSound
    /// The position of the first sample in the stream.
    let first: Int64

    init(_ sound: MixedSound, rate: Int) {
        self.sound = sound
        first = SoundTime.position(of: sound.start, rate: rate)
    }

    var end: Int64 { first + Int64(sound.samples.count) }

    /// Returns whether a part of the sound is within a range of samples.
    func overlaps(_ range: Range<Int64>) -> Bool { first < range.upperBound && end > range.lowerBound }
}

/// Adds sounds to samples.
enum SoundMix {
    /// Returns the sum of a sample and a sound, without clipping: the sound is compressed near full scale.
    ///
    /// A sample to which nothing is added does not change, and a sum exceeds full scale only if the sample does.
    static func sum(_ sample: Float, _ sound: Float) -> Float {
        let room = max(0, sound < 0 ? 1 + sample : 1 - sample) / 2
        let size = sound.magnitude
        if size <= room { return sample + sound }
        if room == 0 { return sample }
        // Continues with the same slope, and approaches full scale.
        let excess = (size - room) / room
        let added = room + room * excess / (1 + excess)
        return sample + (sound < 0 ? -added : added)
    }

    /// Adds sounds to the samples of a channel.
    ///
    /// - Parameters:
    ///   - position: The position of the first sample in the stream.
    ///   - gain: The factor of a sound in this channel.
    ///   - sample, store: Access to a sample, which is 1 at full scale.
    static func add(
        _ sounds: [PlacedSound], at position: Int64, count: Int, gain: (PlacedSound) -> Float,
        sample: (Int) -> Float, store: (Int, Float) -> Void
    ) {
        for sound in sounds where sound.overlaps(position..<position + Int64(count)) {
            let factor = gain(sound)
            if factor == 0 { continue }
            let first = Int(max(0, sound.first - position)), end = Int(min(Int64(count), sound.end - position))
            let offset = Int(position - sound.first)
            for index in first..<end {
                let added = sound.sound.samples[index + offset] * factor
                if added != 0 { store(index, sum(sample(index), added)) }
            }
        }
    }
}
