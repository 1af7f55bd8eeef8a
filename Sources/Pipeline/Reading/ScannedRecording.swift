package import MediaIO
import Reactions

/// The result of a coarse scan of a recording: the times of its frames, and the intervals that need close analysis. A
/// ``RunPass`` limits decoding to it.
package struct ScannedRecording: Sendable {
    package var index: FrameIndex
    /// The frames in the order in which they are shown.
    package var frames: [FrameIndex.Entry]
    var intervals: CandidateIntervals
    /// The tiles of a gallery over time; empty for a single picture; `nil` if no picture was scanned.
    var layouts: LayoutTimeline?
    /// The intervals that are decoded additionally, only for photographs.
    var photographed = CandidateIntervals()
    /// The index of all packets.
    package var recording: IndexedRecording
}

extension ScannedRecording {
    /// The intervals that are decoded.
    var decoded: CandidateIntervals {
        var all = intervals
        for range in photographed.ranges { all.add(range) }
        return all
    }

    /// Adds the intervals that photographs of reactions need.
    mutating func photograph(_ requests: [ScheduledRequest]) {
        guard let first = frames.first?.time.seconds else { return }
        for request in requests {
            let time = first + request.seconds - FrameRing.rounding
            // The reaction begins with the first frame shown at or after its time.
            guard let shown = frames.first(where: { $0.time.seconds >= time })?.time.seconds else { continue }
            photographed.add(shown - FrameRing.length - FrameRing.rounding...shown + FrameRing.rounding)
        }
    }

    /// Returns the recording with other intervals: exactly those in which frames show effects.
    package func showing(_ requests: [ScheduledRequest], by catalog: EffectCatalog) -> ScannedRecording {
        guard let timeBase = frames.first?.time.timeBase else { return self }
        let touched = TouchedFrames(
            requests, presets: catalog.presets, times: frames.map { $0.time.rescaled(to: timeBase).value },
            timeBase: timeBase, reactionsEnabled: true)
        func seconds(_ ticks: Int64) -> Double { MediaTime(value: ticks, timeBase: timeBase).seconds }
        var shown = self
        shown.intervals = CandidateIntervals()
        for interval in touched.ranges {
            shown.intervals.add(seconds(interval.lowerBound)...seconds(interval.upperBound))
        }
        return shown
    }
}
