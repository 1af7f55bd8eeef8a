package import MediaIO

/// What a quick look through a recording tells: when its frames are shown, and which of them are worth a close look.
package struct ScannedRecording: Sendable {
    package var index: FrameIndex
    /// The frames in the order in which they are shown.
    package var frames: [FrameIndex.Entry]
    var stretches: CloseStretches
    /// What all packets tell.
    package var recording: RecordingSurvey
}

extension ScannedRecording {
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
