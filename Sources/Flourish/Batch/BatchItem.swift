import MediaIO
import Platform

/// A recording that was found.
struct BatchItem: Sendable {
    /// Its place in the report.
    var index = 0
    var input: BatchPath
    /// As it was when it was found.
    var status: RawFile.Status
    /// Its output's path from the output folder.
    var output: [UInt8]
    /// Roughly how much work it is: its pixels times its frames' seconds.
    var work = 0.0
    /// Roughly how many bytes a session takes for it.
    var memory = 0

    /// What a session holds of frames between its stages, in the decoder and in the encoder that looks ahead.
    private static let framesHeld = 150
    /// Models, packets and what else does not grow with the picture.
    private static let base = 150 << 20

    init(_ input: BatchPath, _ status: RawFile.Status, output: [UInt8]) {
        self.input = input
        self.status = status
        self.output = output
    }

    /// Notes what its header says.
    mutating func measure(_ video: VideoStreamInfo) {
        let pixels = max(video.width, 1) * max(video.height, 1)
        work = Double(pixels) * max(video.duration?.seconds ?? 0, 1)
        memory = Self.base + pixels * 3 / 2 * Self.framesHeld
    }

    /// Whether the recording is as it was when it was found.
    var isUnchanged: Bool {
        guard case .success(let now) = RawFile.status(input.bytes) else { return false }
        return now.isSame(as: status) && now.size == status.size && now.modified == status.modified
    }
}
