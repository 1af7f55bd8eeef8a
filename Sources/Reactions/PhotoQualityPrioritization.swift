/// How much time a photograph may take for how it looks. Each is better than the one before, and slower.
///
/// `AVCapturePhotoOutput.QualityPrioritization`
public enum PhotoQualityPrioritization: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// The frame as it is in the video.
    case speed
    /// A few frames, fused.
    case balanced
    /// Up to sixteen frames, fused.
    case quality

    /// From the fastest to the best.
    public static func < (a: Self, b: Self) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .speed: 0
        case .balanced: 1
        case .quality: 2
        }
    }

    /// How many frames are fused at the most, with the one that is shown.
    public var maxFrameCount: Int {
        switch self {
        case .speed: 1
        case .balanced: 5
        case .quality: 16
        }
    }
}

/// Why an instant was chosen out of several.
public struct PhotoChoice: Sendable, Hashable, Codable {
    /// How many instants there were to choose from.
    public var candidates: Int
    /// How sharp the picture is where it counts, as a share of the sharpest candidate's, 0…1.
    public var sharpness: Double
    /// How little moves, 0…1: 1 is nothing.
    public var stillness: Double
    /// How many faces are seen; `nil` where nobody looked.
    public var faces: Int?

    package init(candidates: Int, sharpness: Double, stillness: Double, faces: Int?) {
        (self.candidates, self.sharpness, self.stillness, self.faces) = (candidates, sharpness, stillness, faces)
    }
}

/// Whether a photograph could be taken at once.
///
/// `AVCapturePhotoOutput.CaptureReadiness`
public enum PhotoCaptureReadiness: String, Sendable, Hashable, Codable, CaseIterable {
    /// No video is running, or no photographs are taken.
    case sessionNotRunning
    /// A photograph could be taken at once.
    case ready
    /// There is no frame yet.
    case notReadyMomentarily
    /// A photograph that was asked for has not been taken yet.
    case notReadyWaitingForCapture
    /// As many photographs as there is memory for are being processed.
    case notReadyWaitingForProcessing
}
