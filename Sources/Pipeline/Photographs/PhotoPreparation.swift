import MediaIO
import Photography
import Reactions

/// The settings of the photographs for which a client reserves memory.
///
/// Used under the lock of its owner, ``PhotoCapture``.
struct PhotoPreparation: Sendable {
    /// The settings; `nil` if no client has specified any.
    private(set) var settings: [PhotoSettings]?
    /// The closure that receives whether memory was reserved; `nil` if no reservation is pending.
    private var completion: (@Sendable (Bool) -> Void)?

    /// The number of frames for which memory is kept; `nil` if no client has specified settings.
    var frameCount: Int? {
        settings.map { $0.map(\.photoQualityPrioritization.maxFrameCount).filter { $0 > 1 }.max() ?? 0 }
    }

    /// Replaces the settings.
    ///
    /// - Returns: the pending completion of the earlier settings.
    mutating func replace(
        with settings: [PhotoSettings], _ completion: @escaping @Sendable (Bool) -> Void
    ) -> (@Sendable (Bool) -> Void)? {
        defer { (self.settings, self.completion) = (settings, completion) }
        return self.completion
    }

    /// Removes and returns the pending completion.
    mutating func dequeueCompletion() -> (@Sendable (Bool) -> Void)? {
        defer { completion = nil }
        return completion
    }
}

/// Measures noise and brightness of the scene a few times a second.
///
/// Used under the lock of its owner, ``PhotoCapture``.
struct PhotoSceneMonitor: Sendable {
    /// The seconds between two measurements.
    private static let interval = 0.25
    /// The minimum standard deviation of noise for which frames are fused, in 8-bit codes.
    private static let noisy = 1.5
    /// The mean luma, 0…1, below which there is too little light for a good photograph.
    private static let dark = 0.06

    private var last: (reading: SceneMeter.Reading, time: Double)?

    /// Measures a frame if the last measurement is old enough.
    mutating func update(with picture: SharedPicture, after previous: SharedPicture?) {
        let time = picture.frame.time.seconds
        guard let previous, abs(time - (last?.time ?? -1)) >= Self.interval else { return }
        let reading = picture.frame.withPicture { now in
            previous.frame.withPicture { SceneMeter.reading(now, $0) }
        }
        if let reading { last = (reading, time) }
    }

    /// Returns whether fusion would visibly improve photographs with the monitored settings.
    func isFusionScene(_ settings: PhotoSettings?) -> Bool {
        (last?.reading.noise ?? 0) >= Self.noisy && settings?.photoQualityPrioritization ?? .speed > .speed
    }

    /// True if there is too little light for a good photograph.
    var isDark: Bool { last.map { $0.reading.brightness < Self.dark } ?? false }
}
