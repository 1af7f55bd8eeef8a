/// The balance between a photograph's quality and its processing time. Each case is better and slower than the previous
/// one.
///
/// `AVCapturePhotoOutput.QualityPrioritization`
///
/// ```swift
/// let settings = PhotoSettings(.jpeg, photoQualityPrioritization: .quality)
/// let photo = try await session.capturePhoto(with: settings)
/// ```
public enum PhotoQualityPrioritization: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// The frame as it is in the video.
    case speed
    /// A few frames, fused.
    case balanced
    /// Up to sixteen frames, fused.
    case quality

    /// Orders the cases from the fastest to the best.
    public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .speed: 0
        case .balanced: 1
        case .quality: 2
        }
    }

    /// The maximum number of frames that are fused, including the reference frame.
    public var maxFrameCount: Int {
        switch self {
        case .speed: 1
        case .balanced: 5
        case .quality: 16
        }
    }
}

/// The reason why an instant was chosen among several.
///
/// ```swift
/// let photo = try await RecordingPhotographer().bestPhoto(of: "call.mp4", from: 10, to: 20)
/// if let choice = photo.choice { print("best of", choice.candidates, "with", choice.faces ?? 0, "faces") }
/// ```
public struct PhotoChoice: Sendable, Hashable, Codable {
    /// The number of instants to choose from.
    public var candidates: Int
    /// The sharpness around the gesture, or of the whole picture without a gesture, as a share of the sharpness of the
    /// sharpest candidate, 0…1.
    public var sharpness: Double
    /// The stillness of the picture, 0…1; 1 means no motion.
    public var stillness: Double
    /// The number of faces detected; `nil` without face detection.
    public var faces: Int?

    package init(candidates: Int, sharpness: Double, stillness: Double, faces: Int?) {
        (self.candidates, self.sharpness, self.stillness, self.faces) = (candidates, sharpness, stillness, faces)
    }
}

/// The readiness to capture a photograph.
///
/// `AVCapturePhotoOutput.CaptureReadiness`
///
/// ```swift
/// if session.captureReadiness == .ready {
///     let photo = try await session.capturePhoto()
/// }
/// ```
public enum PhotoCaptureReadiness: String, Sendable, Hashable, Codable, CaseIterable {
    /// No video is running, or photographs are disabled.
    case sessionNotRunning
    /// A photograph can be captured immediately.
    case ready
    /// There is no frame yet.
    case notReadyMomentarily
    /// A requested photograph has not been captured yet.
    case notReadyWaitingForCapture
    /// The photographs being processed fill the memory available for them.
    case notReadyWaitingForProcessing
}
