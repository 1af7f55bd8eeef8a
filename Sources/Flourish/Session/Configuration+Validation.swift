import MediaIO

/// Validates a configuration: ranges, contradictions, and combinations that a run does not support.
extension Configuration {
    /// Refuses invalid settings: numbers that are out of range or not a number, and settings that contradict each
    /// other. Sessions and inspectors call it themselves.
    ///
    /// - Throws: ``FlourishError/Code/usage``.
    public func validate() throws(FlourishError) {
        if let fault = faults.first { throw FlourishError(.usage, fault.message) }
        // Whether an overlay is written is not known while settings are read.
        if videoEffects.background == .transparent, !writesOverlay {
            throw FlourishError(
                .usage,
                "a transparent background needs an output with alpha: an overlay (--overlay) in .webm, .mov, .mkv, .nut or pictures such as out-%05d.png; or rgba or bgra frames of a program"
            )
        }
    }

    /// Refuses a live run for a task that needs a recording.
    ///
    /// - Throws: ``FlourishError/Code/usage``.
    func refuseLive(_ task: String) throws(FlourishError) {
        if isLive { throw FlourishError(.usage, "\(task); disable live") }
    }

    /// All faults of the settings.
    var faults: [Fault] {
        var faults = SettingKey.all.flatMap { $0.faults(in: self) }
        if writesOverlay, embedsMetadata {
            faults.append(Fault(message: "metadata cannot be embedded in an overlay; remove one of the options"))
        }
        let framesOverlay = writesOverlay && videoEffects.autoFraming > 0
        if framesOverlay || writesOverlay && !videoEffects.isOff && videoEffects.background != .transparent {
            faults.append(
                Fault(
                    message:
                        "an overlay has no picture for another background, Studio Light and auto framing; use the background transparent or none, and set the others to 0",
                    names: [
                        "effects.portrait", "effects.background", "effects.studio-light", "effects.auto-framing",
                    ]))
        }
        if videoEffects.autoFraming > 0, case .fixed(let layouts) = layout,
            layouts.layouts.contains(where: { $0.tiles.count > 1 })
        {
            faults.append(
                Fault(
                    message:
                        "auto framing follows the people of one picture, not the tiles of a gallery; set auto-framing to 0, or the layout to single",
                    names: ["recognition.layout", "effects.auto-framing"]))
        }
        if writesOverlay, let photos, photos.content != .clean {
            faults.append(
                Fault(
                    message:
                        "an overlay has no frames with effects to photograph; set the content of photographs to clean"))
        }
        if case .fixed(let layouts) = layout, let fault = layouts.fault {
            faults.append(Fault(message: "recognition.layout: \(fault)", names: ["recognition.layout"]))
        }
        if embedsMetadata, encoding.codec != .h264, encoding.codec != .hevc {
            faults.append(
                Fault(
                    message: "metadata can only be embedded in h264 and hevc, not in \(encoding.codec.rawValue)",
                    names: ["encoding.codec"]))
        }
        if let message = input.pictureFault ?? input.trimFault
            ?? (isLive && input.trim != nil ? "a live run has no start and end" : nil)
        {
            faults.append(Fault(message: message))
        }
        return faults + scheduledReactions.compactMap(\.fault)
    }
}

extension InputOptions {
    fileprivate var pictureFault: String? {
        InputSettings.fault(videoSize: videoSize, pixelFormat: pixelFormat, frameRate: frameRate)
    }

    fileprivate var trimFault: String? {
        guard (0...Self.latestTime).contains(start) else {
            return "the start must be 0 or more seconds, not \(start)"
        }
        guard let end, !(end > start && end <= Self.latestTime) else { return nil }
        return "the end, \(SettingKind.plain(end)) s, must be after the start, \(SettingKind.plain(start)) s"
    }
}

extension ScheduledReaction {
    fileprivate var fault: Configuration.Fault? {
        guard seconds.isFinite, seconds >= 0 else {
            return Configuration.Fault(
                message: "\(reactionType) cannot be shown at \(seconds) s; use a time of 0 or more")
        }
        guard let origin, !(0...1).contains(origin.x) || !(0...1).contains(origin.y) else { return nil }
        return Configuration.Fault(
            message: "\(reactionType) cannot start at \(origin.x), \(origin.y); use positions from 0 to 1")
    }
}
