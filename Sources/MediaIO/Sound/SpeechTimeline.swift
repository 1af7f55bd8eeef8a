import Synchronization

/// The times at which someone speaks in the sound of a video.
///
/// One thread adds sound, and others ask for times. Speech of the last ``reach`` seconds is kept, or all of a recording.
package final class SpeechTimeline: Sendable {
    private struct State {
        var intervals: [ClosedRange<Double>] = []
        var detector: SpeechDetector?
        /// The rate of the detector's input, and the time of its next step, in seconds.
        var rate = 0.0
        var next = -Double.infinity
    }

    /// The time for which the speech of a live input is kept, in seconds. It exceeds any delay between sound and picture.
    private static let reach = 60.0
    /// The maximum gap between two frames of sound that belong together, in seconds.
    private static let longestGap = 0.1

    private let keepsAll: Bool
    private let state = Mutex(State())

    /// - Parameter keepsAll: Whether all speech is kept. Its memory is a few bytes for each sentence.
    package init(keepsAll: Bool = false) { self.keepsAll = keepsAll }

    /// Returns the intervals with speech that overlap an interval, in seconds on the clock of the added sound, and the
    /// time until which speech is known.
    package func speech(in interval: ClosedRange<Double>) -> (intervals: [ClosedRange<Double>], end: Double) {
        state.withLock { state in
            // The first interval that ends at the start or later.
            var (low, high) = (0, state.intervals.count)
            while low < high {
                let middle = (low + high) / 2
                if state.intervals[middle].upperBound < interval.lowerBound { low = middle + 1 } else { high = middle }
            }
            let found = state.intervals[low...].prefix { $0.lowerBound <= interval.upperBound }
            return (Array(found), state.next)
        }
    }

    /// Adds sound.
    ///
    /// - Parameters:
    ///   - samples: The mean of all channels; 1 is full scale.
    ///   - start: The time of the first sample, in seconds.
    ///   - rate: Samples a second.
    package func add(_ samples: [Float], at start: Double, rate: Double) {
        state.withLock { state in
            let end = start + Double(samples.count) / rate
            // The detector has examined up to one step less than it was given.
            let isNext = abs(start - state.next) < Self.longestGap + 2 * SpeechDetector.step
            if state.detector == nil || state.rate != rate || !isNext {
                (state.detector, state.rate, state.next) = (SpeechDetector(rate: rate), rate, start)
            }
            guard var detector = state.detector else { return }
            let duration = detector.stepDuration
            var (next, intervals) = (state.next, state.intervals)
            detector.add(samples) { isSpeech in
                if isSpeech { Self.extend(&intervals, by: next...next + duration) }
                next += duration
            }
            if !keepsAll { intervals.removeAll { $0.upperBound < end - Self.reach } }
            (state.detector, state.next, state.intervals) = (detector, next, intervals)
        }
    }

    /// Adds an interval, and joins it with the previous one if they touch.
    private static func extend(_ intervals: inout [ClosedRange<Double>], by interval: ClosedRange<Double>) {
        if let last = intervals.last, last.contains(interval.lowerBound - 0.001) {
            intervals[intervals.count - 1] = last.lowerBound...max(last.upperBound, interval.upperBound)
        } else if intervals.last.map({ $0.upperBound < interval.lowerBound }) ?? true {
            intervals.append(interval)
        }
    }
}

/// Adds the sound of an input to a ``SpeechTimeline``. Used by one thread at a time.
package final class SpeechReader {
    private let timeline: SpeechTimeline
    private let reader: SoundReader

    /// - Returns: nil if the input has no sound, or no decoder for it.
    package init?(_ demuxer: Demuxer, _ timeline: SpeechTimeline) {
        guard let reader = SoundReader(demuxer) else { return nil }
        (self.reader, self.timeline) = (reader, timeline)
    }

    /// The sound's index in its file.
    package var streamIndex: Int { reader.streamIndex }

    /// Adds the sound of a packet; packets of other streams are ignored.
    package func add(_ packet: borrowing Packet) { reader.add(packet, analyse) }

    /// Adds the remaining sound of the decoder.
    package func finish() { reader.finish(analyse) }

    private func analyse(_ frame: SoundReader.Frame) {
        timeline.add(frame.samples.mixedDown(), at: frame.start, rate: frame.rate)
    }
}
