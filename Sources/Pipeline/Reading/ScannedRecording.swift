package import MediaIO

/// What a quick look through a recording tells: when its frames are shown, and which of them are worth a close look.
package struct ScannedRecording: Sendable {
    package var index: FrameIndex
    /// The frames in the order in which they are shown.
    package var frames: [FrameIndex.Entry]
    var stretches: CloseStretches
    /// What is decoded beside them, for photographs alone.
    var photographed = CloseStretches()
    /// What all packets tell.
    package var recording: RecordingSurvey
}

extension ScannedRecording {
    /// What is decoded.
    var decoded: CloseStretches {
        var all = stretches
        for range in photographed.ranges { all.add(range) }
        return all
    }

    /// Has the frames decoded of which photographs of reactions are made.
    mutating func photograph(_ requests: [ScheduledRequest]) {
        guard let first = frames.first?.time.seconds else { return }
        for request in requests {
            let time = first + request.seconds - FrameRing.rounding
            // The reaction begins with the first frame that is shown at its time or later.
            guard let shown = frames.first(where: { $0.time.seconds >= time })?.time.seconds else { continue }
            photographed.add(shown - FrameRing.length - FrameRing.rounding...shown + FrameRing.rounding)
        }
    }

    /// The same recording where only the frames that show something are looked at.
    package func showing(_ requests: [ScheduledRequest], by catalog: EffectCatalog) -> ScannedRecording {
        guard let timeBase = frames.first?.time.timeBase else { return self }
        let touched = TouchedFrames(
            requests, presets: catalog.presets, times: frames.map { $0.time.rescaled(to: timeBase).value },
            timeBase: timeBase, reactionsEnabled: true)
        func seconds(_ ticks: Int64) -> Double { MediaTime(value: ticks, timeBase: timeBase).seconds }
        var shown = self
        shown.stretches = CloseStretches()
        for stretch in touched.stretches {
            shown.stretches.add(seconds(stretch.lowerBound)...seconds(stretch.upperBound))
        }
        return shown
    }
}
