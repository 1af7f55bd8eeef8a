import Pipeline

/// Photographs that are captured while a session runs.
///
/// Photographs are captured if ``Configuration/photos`` enables them: of each reaction, and whenever a program requests
/// one.
extension ReactionSession {
    /// A value that indicates whether a photograph could be captured immediately.
    public var captureReadiness: PhotoCaptureReadiness { control.photos.readiness }

    /// Captures a photograph of the input in full size, before effects are drawn and frames are dropped.
    ///
    /// The session buffers the frames of the last 0.5 s, so the photograph shows the requested instant rather than a
    /// later one. Capturing does not delay the video. Requests may overlap.
    ///
    /// - Parameters:
    ///   - settings: The settings of the photograph.
    ///   - time: The instant, in seconds on the video's clock; if `nil`, the instant that the viewer of a live run sees
    ///     now.
    /// - Returns: the photograph, with ``Photo/path`` if the run has a folder for photographs.
    /// - Throws: ``FlourishError/Code/unavailable`` if no photograph can be captured, for example because too many are
    ///   in progress; ``FlourishError/Code/usage`` if its quality exceeds
    ///   ``PhotoOptions/maxPhotoQualityPrioritization``.
    public func capturePhoto(
        with settings: PhotoSettings = PhotoSettings(), at time: Double? = nil
    ) async throws(FlourishError) -> Photo {
        try await control.photos.capture(settings, at: time, delay: delay)
    }

    /// The delay of the video at the viewer, in seconds.
    private var delay: Double { configuration.isLive ? control.meter.statistics.latency ?? 0 : 0 }

    /// The time of the frame that a viewer currently sees, in seconds on the video's clock; `nil` before the first
    /// frame.
    package var seenTime: Double? { control.photos.newestTime.map { $0 - delay } }

    /// The settings for which memory is reserved. The default is one balanced JPEG, whose memory is reserved on
    /// request.
    public var preparedPhotoSettings: [PhotoSettings] { control.photos.prepared }

    /// Reserves memory for photographs before they are requested, and frees the memory of other settings; an empty list
    /// frees all.
    ///
    /// A call before the run returns when there is a frame, since the memory depends on the frame's size.
    ///
    /// - Returns: whether the memory is reserved: `false` if another call replaced this one before the reservation, or
    ///   if the run ended.
    public func setPreparedPhotoSettings(_ settings: [PhotoSettings]) async -> Bool {
        await withCheckedContinuation { continuation in
            control.photos.prepare(settings) { continuation.resume(returning: $0) }
        }
    }

    /// True if fusing frames would make photographs visibly better. The value is true only for a noisy scene, and only
    /// if ``PhotoOptions/photoSettingsForSceneMonitoring`` has a quality above `speed`.
    public var isFusionScene: Bool { control.photos.isFusionScene }

    /// True if it is too dark for a good photograph, even a fused one. There is no flash, so the remedy is more light.
    public var isDarkScene: Bool { control.photos.isDarkScene }
}
