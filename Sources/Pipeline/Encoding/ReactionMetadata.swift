package import MediaIO
import Platform
package import Reactions

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

/// The chapters of a file: one for each reaction.
extension Chapter {
    private static let milliseconds = Rational(1, 1000)

    /// Returns the chapters for effects of a video that ends at a time. Each chapter extends to the next one, as in
    /// MP4, which stores only starts. Effects that start in the same millisecond share a chapter.
    package static func all(
        for effects: [ReactionEvent.EffectDetail], until end: Double
    ) -> [Chapter] {
        let groups = Dictionary(grouping: effects) { MediaTime(seconds: $0.startTime).rescaled(to: milliseconds) }
        let times = groups.keys.sorted()
        let last = MediaTime(seconds: end).rescaled(to: milliseconds)
        return times.indices.map { index in
            let next = index + 1 < times.count ? times[index + 1] : max(last, times[index])
            let titles = groups[times[index], default: []].map(\.reactionType.words)
            return Chapter(start: times[index], end: next, title: titles.joined(separator: ", "))
        }
    }
}

extension Muxer {
    /// The warning about chapters that this output cannot hold; nil if it holds them.
    var chapterWarning: PipelineWarning? {
        guard addsChapters, !holdsAddedChapters else { return nil }
        return PipelineWarning(
            code: .metadataLost,
            message:
                "no chapters are written: they are stored at the end of a file in .mp4, .mov, .mkv or .webm (.mp4 and .mov: up to 49 days after time 0); write such a file"
        )
    }
}
