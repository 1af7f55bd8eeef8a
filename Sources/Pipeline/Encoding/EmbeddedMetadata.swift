import Frames
import MediaIO
import Reactions

/// Events inside the video: the effects in progress, as user-data SEI messages of H.264 and HEVC.
package enum EmbeddedMetadata {
    /// The identifier of the messages, fcef97e2-3f23-4583-bf98-0e46fa8dfe12. Their payload is one event, as a line of
    /// JSON (docs/events.md).
    package static let uuid: [UInt8] = [
        0xFC, 0xEF, 0x97, 0xE2, 0x3F, 0x23, 0x45, 0x83,
        0xBF, 0x98, 0x0E, 0x46, 0xFA, 0x8D, 0xFE, 0x12,
    ]

    /// The interval, in seconds, at which the current state is repeated for readers that join late.
    static let repetition = 1.0
}

/// Embeds the effects in progress in frames, before they are encoded: at each change, and at regular intervals.
struct MetadataEmbedder {
    /// The latest state of the effects as JSON; `nil` before the first one.
    private var line: String?
    /// The index of the next frame, as estimated before it is encoded.
    private var index: Int
    private var lastTime = -Double.infinity

    /// - Parameter firstFrame: The number of frames before the first one.
    init(firstFrame: Int = 0) { index = firstFrame }

    /// Embeds the state in each frame that changes it, and in one frame a second.
    mutating func mark(_ item: inout PipelineFrame) throws {
        defer { index += 1 }
        for var event in item.plan.events {
            guard case .effectsInProgress = event.kind else { continue }
            event.frame = index
            line = event.jsonLine
            lastTime = -.infinity
        }
        let isDue = item.time >= lastTime + EmbeddedMetadata.repetition || item.time < lastTime
        guard let line, isDue else {
            return try item.frame.embed(nil, uuid: EmbeddedMetadata.uuid)
        }
        lastTime = item.time
        try item.frame.embed(Array(line.utf8), uuid: EmbeddedMetadata.uuid)
    }
}
