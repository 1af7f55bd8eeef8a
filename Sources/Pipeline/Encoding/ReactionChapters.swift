import Frames
package import MediaIO
import Platform
package import Reactions

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
                "no chapters are written: they are stored at the end of a file in .mp4, .mov, .mkv or .webm; write such a file"
        )
    }
}
