/// Compares the inventories (``MediaInventory``) of a written file and its source, and describes what the file lacks.
///
/// Intended changes are ignored: the names of encoders and brands, statistics of a coding, usual names of handlers, and
/// side data that the coded frames repeat.
struct InventoryComparison {
    var container: ContainerFormat
    /// The source's streams that were written, in the order of the file.
    var written: [WrittenStream]
    /// The roles of streams that a muxer creates itself, and whose omission was already reported.
    var reported: Set<StreamInfo.DerivedRole> = []
    /// The main video's index in the source.
    var video: Int?
    /// A Boolean value that indicates whether the main video was encoded again.
    var encodesVideo = false

    struct WrittenStream: Sendable, Hashable {
        /// The stream's index in the source.
        var source: Int
        /// A Boolean value that indicates that no packet was written. Some containers then omit the stream.
        var isEmpty = false
    }

    /// Returns the losses, each a phrase such as `the tags artist, title`.
    func losses(from source: MediaInventory, to output: MediaInventory) -> [String] {
        let pairs = self.pairs(source, output)
        var phrases: [String] = []
        let missing = written.filter { !$0.isEmpty && pairs[$0.source] == nil }.map(\.source)
        if !missing.isEmpty {
            phrases.append(Self.phrase("stream", missing.map { "\($0) (\(source.streams[$0].codec))" }))
        }
        for kind in StreamSideData.Kind.allCases {
            let lossy = pairs.keys.sorted().filter { lacks(kind, source, output, $0, pairs[$0]!) }
            if let first = lossy.first {
                let place = lossy == [video] || first == video ? "" : " of stream \(first)"
                let cause =
                    encodesVideo && first == video && !kind.outlivesEncoding ? ", since the video is re-encoded" : ""
                phrases.append("the \(kind.rawValue)\(place)\(cause)")
            }
        }
        phrases += tagLosses(source, output, pairs)
        if output.chapterCount < source.chapterCount, !reported.contains(.chapters) {
            let count = source.chapterCount - output.chapterCount
            phrases.append(count == 1 ? "one chapter" : "\(count) chapters")
        }
        return phrases
    }

    /// Maps the source's streams to the file's streams: streams of one role have the same order.
    private func pairs(_ source: MediaInventory, _ output: MediaInventory) -> [Int: Int] {
        var pairs: [Int: Int] = [:]
        let found = Dictionary(grouping: output.streams.indices.filter { !output.streams[$0].isDerived }) {
            output.streams[$0].role
        }
        for (role, ours) in Dictionary(grouping: written, by: { source.streams[$0.source].role }) {
            let theirs = found[role] ?? []
            let full = ours.count == theirs.count ? ours : ours.filter { !$0.isEmpty }
            for (stream, place) in zip(full, theirs) { pairs[stream.source] = place }
        }
        return pairs
    }

    private func lacks(
        _ kind: StreamSideData.Kind, _ source: MediaInventory, _ output: MediaInventory, _ from: Int, _ to: Int
    ) -> Bool {
        let stream = source.streams[from]
        guard stream.sideData.contains(kind), !output.streams[to].sideData.contains(kind) else { return false }
        switch kind {
        // If the container holds no matrix, the main video's pictures were rotated upright.
        case .displayMatrix: return from != video || container.holdsDisplayMatrix
        // Coded frames of these codecs contain the same metadata.
        case .masteringDisplay, .contentLight: return !["h264", "hevc", "av1"].contains(output.streams[to].codec)
        default: return true
        }
    }

    private func tagLosses(_ source: MediaInventory, _ output: MediaInventory, _ pairs: [Int: Int]) -> [String] {
        var names: [String] = [], languages: Set<String> = [], dispositions: Set<String> = []
        var tags: [String: String] = [:], hasTimeCode = false
        let kept = Set(output.tags.keys.map(TagName.normalised))
        for (from, to) in pairs.sorted(by: { $0.key < $1.key }) {
            let (stream, result) = (source.streams[from], output.streams[to])
            if let name = TagName.trackName(stream.tags), TagName.trackName(result.tags) == nil { names.append(name) }
            if let language = TagName.language(stream.tags), TagName.language(result.tags) == nil {
                languages.insert(language)
            }
            let lost = stream.dispositions.subtracting(result.dispositions)
            dispositions.formUnion(lost.filter { $0 != "default" || isDistinctDefault(from, source) })
            let keys = Set(result.tags.keys.map(TagName.normalised)).union(kept)
            for tag in stream.tags.keys {
                let key = TagName.normalised(tag)
                guard !keys.contains(key), TagName.isLasting(key, ofStream: true) else { continue }
                if key == "timecode" { hasTimeCode = true } else { tags[key] = tag }
            }
        }
        let streamTags = Set(output.streams.flatMap { $0.tags.keys.map(TagName.normalised) })
        for (tag, value) in source.tags {
            let key = TagName.normalised(tag)
            guard !kept.contains(key), TagName.isLasting(key, ofStream: false), !value.isEmpty else { continue }
            if key == "timecode" { hasTimeCode = hasTimeCode || !streamTags.contains(key) } else { tags[key] = tag }
        }
        var phrases: [String] = []
        if hasTimeCode, !reported.contains(.timeCode) { phrases.append("the time code") }
        if !names.isEmpty { phrases.append(Self.phrase("the track name", names.map { "'\($0)'" })) }
        if !languages.isEmpty { phrases.append(Self.phrase("the language", languages.sorted())) }
        if !dispositions.isEmpty { phrases.append(Self.phrase("the disposition", dispositions.sorted())) }
        if !tags.isEmpty { phrases.append(Self.phrase("the tag", tags.values.sorted())) }
        return phrases
    }

    /// Returns whether the disposition `default` of a stream matters to players. It does if no other stream of the role
    /// has it, and the stream is not the first, which players choose anyway.
    private func isDistinctDefault(_ index: Int, _ source: MediaInventory) -> Bool {
        let others = written.map(\.source).filter { source.streams[$0].role == source.streams[index].role }
        return others.first != index
            && !others.contains { $0 != index && source.streams[$0].dispositions.contains("default") }
    }

    private static func phrase(_ noun: String, _ items: [String]) -> String {
        let listed = items.prefix(8).joined(separator: ", ") + (items.count > 8 ? ", … (\(items.count))" : "")
        return "\(noun)\(items.count == 1 ? "" : "s") \(listed)"
    }
}
