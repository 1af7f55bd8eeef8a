import Effects
import MediaIO
import Pipeline
import Platform
import Raster
import Synchronization

/// Properties and methods to change and observe a running session. Changes apply from the next frame on.
extension ReactionSession {
    /// The settings in effect.
    public var settings: LiveSettings { control.settings }

    /// Changes several settings at once: all of them apply from the same frame on.
    ///
    /// ```swift
    /// try session.update { settings in
    ///     settings.sensitivity = .high
    ///     settings.style.intensity = 0.5
    /// }
    /// ```
    ///
    /// - Throws: ``FlourishError/Code/usage`` for a value that is out of range, and then changes nothing.
    public func update(_ change: (inout LiveSettings) -> Void) throws(FlourishError) {
        try updateSettings { settings throws(FlourishError) in change(&settings) }
    }

    /// Changes several settings at once, or none if `change` throws.
    package func updateSettings(
        _ change: (inout LiveSettings) throws(FlourishError) -> Void
    ) throws(FlourishError) {
        // The types are read from files here, so that `change` does not read files while the lock of the settings is
        // held.
        _ = availableReactionTypes
        try control.update { settings throws(FlourishError) in
            let before = settings
            try change(&settings)
            settings.gesturesEnabled = settings.gesturesEnabled && configuration.gesturesEnabled
            if let fault = settings.fault(since: before, isConfiguredForGestures: configuration.gesturesEnabled) {
                throw FlourishError(.usage, fault)
            }
            for type in Set(settings.bindings.values) where !before.bindings.values.contains(type) { try check(type) }
        }
    }

    /// The available gestures: built-in gestures, then custom ones.
    public var availableGestures: [ReactionGesture] {
        ReactionGesture.allCases + configuration.ownGestures.gestures.map(\.gesture)
    }

    /// The gestures that do not trigger anything.
    public var disabledGestures: Set<ReactionGesture> {
        get { control.settings.disabledGestures }
        set { control.update { $0.disabledGestures = newValue } }
    }

    /// Switches one gesture on or off.
    public func setGesture(_ gesture: ReactionGesture, enabled: Bool) {
        control.update { settings in
            if enabled { settings.disabledGestures.remove(gesture) } else { settings.disabledGestures.insert(gesture) }
        }
    }

    /// The remaining seconds of the video for which gestures are ignored; `nil` if they are not ignored.
    public var gestureSnooze: Double? { control.state.withLock { $0.snooze?.left } }

    /// Makes the session ignore gestures for a while. ``performEffect(for:at:)`` still works, and effects in progress
    /// run to their end.
    ///
    /// - Parameter seconds: The duration from the next frame on, in the video's time, up to one day; 0 ends the snooze.
    ///   A later call replaces an earlier one.
    public func snoozeGestures(for seconds: Double) {
        control.state.withLock {
            $0.snooze = seconds > 0 ? GestureSnooze(duration: min(seconds, GestureSnooze.longest)) : nil
        }
    }

    /// The current quality reduction of a live run; `nil` in other runs, and before the first frame.
    public var quality: SessionQuality? { control.state.withLock { $0.quality } }

    /// The appearance of reactions. A change also affects effects in progress.
    public var style: ReactionStyle {
        get { control.settings.style }
        set { control.update { $0.style = newValue } }
    }

    /// The gesture that is being held and has not fired yet; `nil` if none is, and while its confidence is too low to
    /// fire.
    public var gestureHold: GestureHold? { control.state.withLock { $0.namedHold } }

    /// The measurements of the run so far.
    public var statistics: SessionStatistics { control.meter.statistics }

    /// Returns the output's next frame as a PNG file's bytes. If nothing is drawn, as in ``detect(_:observer:)``, this
    /// is the input's frame.
    ///
    /// Encoding does not delay the video. Before the run, the call waits for the first frame. To limit the time, cancel
    /// the task that waits.
    ///
    /// - Throws: ``FlourishError/Code/unavailable`` if no more frames follow;
    ///   ``FlourishError/Code/interrupted`` if the task is cancelled.
    public func pngSnapshot() async throws(FlourishError) -> [UInt8] {
        try await pngSnapshot(within: nil)
    }

    /// Returns the output's next frame as a PNG file's bytes, if it comes within a limit.
    package func pngSnapshot(within limit: Duration?) async throws(FlourishError) -> [UInt8] {
        try await picture(within: limit) { frame throws(MediaError) in try frame.image().pngBytes() }.bytes
    }

    /// Returns the output's next frame as the bytes of a small JPEG file, as a rough preview.
    ///
    /// - Parameter height: The picture's height in pixels; a smaller picture is not enlarged.
    /// - Throws: ``FlourishError/Code/unavailable`` if no more frames follow;
    ///   ``FlourishError/Code/interrupted`` if the task is cancelled.
    public func jpegPreview(height: Int) async throws(FlourishError) -> [UInt8] {
        try await timedPreview(height: height).bytes
    }

    /// Returns a JPEG preview with its presentation time, in seconds on the video's clock.
    package func timedPreview(height: Int) async throws(FlourishError) -> (bytes: [UInt8], time: Double) {
        try await picture { [control] frame throws(MediaError) in
            let height = min(height, Int(frame.geometry.uprightHeight.rounded()))
            let rings = control.previewRings(at: frame.time.seconds)
            guard !rings.isEmpty, frame.hasPicture else { return try frame.jpegBytes(height: height) }
            // Others share the frame.
            var marked = try frame.copy(pool: FramePool())
            marked.draw(rings, isCalm: control.settings.style.isCalm)
            return try marked.jpegBytes(height: height)
        }
    }

    /// Encodes the next frame on a separate thread.
    private func picture(
        within limit: Duration? = nil,
        _ encode: @escaping @Sendable (borrowing VideoFrame) throws(MediaError) -> [UInt8]
    ) async throws(FlourishError) -> (bytes: [UInt8], time: Double) {
        let picture: SharedPicture
        switch await control.pictures.next(within: limit) {
        case .frame(let next): picture = next
        case .ended: throw FlourishError(.unavailable, "there is no frame, since the video has ended")
        case .late:
            throw FlourishError(
                .unavailable,
                "no frame came within \(limit?.components.seconds ?? 0) s; try again when the video goes on")
        case .cancelled: throw FlourishError(.interrupted, "the task that waited for a frame was cancelled")
        }
        let result = await StageThread.run { () throws(MediaError) in try encode(picture.frame) }
        do { return (try result.get(), picture.frame.time.seconds) } catch { throw FlourishError(describing: error) }
    }
}

extension VideoFrame {
    /// Draws rings on the frame, if it has memory of its own.
    fileprivate mutating func draw(_ rings: [HoldRing], isCalm: Bool) {
        let geometry = geometry
        var pen = HoldRingPen()
        try? withMutablePicture(pool: FramePool()) { picture in
            pen.draw(rings, on: &picture, geometry: geometry, isCalm: isCalm)
        }
    }
}

extension LiveSettings {
    /// Returns the reason why a value cannot be used; `nil` if all can.
    fileprivate func fault(since before: LiveSettings, isConfiguredForGestures: Bool) -> String? {
        if let fault = configuration.faults.first { return fault.message }
        guard let gestureSnooze, gestureSnooze != before.gestureSnooze else { return nil }
        guard (0...GestureSnooze.longest).contains(gestureSnooze) else {
            return "gestureSnooze must be a number of seconds up to a day, not \(gestureSnooze)"
        }
        if gestureSnooze > 0, !isConfiguredForGestures {
            return "gestures cannot be snoozed: Configuration.gesturesEnabled is false"
        }
        return nil
    }
}
