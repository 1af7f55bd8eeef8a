/// Compares the accounts (``MediaInventory``) of a written file and its source, and describes what the file lacks. This
/// is the only place that decides what a loss is.
///
/// Intended changes are ignored: the names of encoders and brands, statistics of a coding, usual names of handlers, and
/// side data that the coded frames repeat.
struct InventoryComparison {
    var container: ContainerFormat
    /// The indices of the source's streams that were written, in the order of the file.
    var written: [Int]
    /// The roles of streams that a muxer creates itself, and whose omission was already reported.
    var reported: Set<StreamInfo.DerivedRole> = []
    /// The main video's index in the source.
    var video: Int?
    /// True if the main video was encoded again.
    var encodesVideo = false

    /// Returns the losses, each a phrase such as `the tags artist, title`.
    func losses(from source: MediaInventory, to output: MediaInventory) -> [String] {
        let pairs = self.pairs(source, output)
        var phrases: [String] = []
        let missing = written.filter { pairs[$0] == nil && !isEmpty($0, source) }
        if !missing.isEmpty {
            phrases.append(Self.phrase("stream", missing.map { "\($0) (\(source.streams[$0].codec))" }))
        }
        phrases += pairs.sorted { $0.key < $1.key }.flatMap { from, to in
            contentLosses(from, source.streams[from], output.streams[to])
        }
        for kind in StreamSideData.Kind.all {
            let lossy = pairs.keys.sorted().filter { lacks(kind, source, output, $0, pairs[$0]!) }
            if let first = lossy.first {
                let place = lossy == [video] || first == video ? "" : " of stream \(first)"
                let cause =
                    encodesVideo && first == video && !kind.outlivesEncoding ? ", since the video is re-encoded" : ""
                phrases.append("the \(kind.name)\(place)\(cause)")
            }
        }
        phrases += tagLosses(source, output, pairs)
        if output.chapterCount < source.chapterCount, !reported.contains(.chapters) {
            let count = source.chapterCount - output.chapterCount
            phrases.append(count == 1 ? "one chapter" : "\(count) chapters")
        }
        var groups = source.groups
        for kept in output.groups { groups.firstIndex(of: kept).map { _ = groups.remove(at: $0) } }
        if !groups.isEmpty { phrases.append(Self.phrase("the stream group", groups)) }
        return phrases
    }

    /// Maps the source's streams to the file's streams: streams of one role have the same order.
    private func pairs(_ source: MediaInventory, _ output: MediaInventory) -> [Int: Int] {
        var pairs: [Int: Int] = [:]
        let found = Dictionary(grouping: output.streams.indices.filter { !output.streams[$0].isDerived }) {
            output.streams[$0].role
        }
        for (role, ours) in Dictionary(grouping: written, by: { source.streams[$0].role }) {
            let theirs = found[role] ?? []
            let full = ours.count == theirs.count ? ours : ours.filter { !isEmpty($0, source) }
            for (stream, place) in zip(full, theirs) { pairs[stream] = place }
        }
        return pairs
    }

    /// True if no packet of a stream was written. Some containers then omit the stream.
    private func isEmpty(_ index: Int, _ source: MediaInventory) -> Bool {
        let stream = source.streams[index]
        return stream.role != .attachment && stream.role != .cover && index != video && stream.tally.packets == 0
    }

    /// Returns the losses of one stream's packets and parameters.
    private func contentLosses(
        _ index: Int, _ source: MediaInventory.Stream, _ output: MediaInventory.Stream
    ) -> [String] {
        let isVideo = index == video
        let subject = isVideo ? "the video" : "stream \(index) (\(source.codec))"
        var phrases: [String] = []
        if source.hasAlpha, !output.hasAlpha { phrases.append("the transparency of \(subject)") }
        for (name, value) in source.parameters.sorted(by: { $0.key < $1.key }) {
            guard let result = output.parameters[name], result != value else { continue }
            phrases.append("the \(name) of \(subject): \(value) became \(result)")
        }
        if !isVideo || !encodesVideo {
            if source.codec != output.codec, !Self.areAlike(source.codec, output.codec) {
                phrases.append("\(subject), which is read as \(output.codec)")
            }
            for (kind, count) in source.tally.sideData.sorted(by: { $0.key < $1.key }) {
                let rest = count - (output.tally.sideData[kind] ?? 0)
                // Such blocks hold the transparency, which is named above.
                if rest > 0, !source.hasAlpha || kind != "Matroska BlockAdditional" {
                    phrases.append("side data of \(subject): \(kind) of \(rest) packets")
                }
            }
        }
        guard !isVideo, [.audio, .subtitle, .data, .video].contains(source.role) else { return phrases }
        let (read, written) = (source.tally, output.tally)
        if source.sampleBits > 0 {
            if written.bytes < read.bytes {
                phrases.append("\(read.bytes - written.bytes) of \(read.bytes) bytes of \(subject)")
            }
        } else if written.packets < read.packets {
            phrases.append("\(read.packets - written.packets) of \(read.packets) packets of \(subject)")
        }
        return phrases
    }

    /// Returns whether two names of codecs are used for one by containers that do not distinguish them.
    private static func areAlike(_ one: String, _ other: String) -> Bool {
        let groups: [Set<String>] = [["mp1", "mp2", "mp3"], ["mpeg1video", "mpeg2video"], ["none", "bin_data"]]
        return groups.contains { $0.isSuperset(of: [one, other]) }
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
        var tags = TagLosses()
        let kept = TagLosses.normalised(output.tags), date = TagLosses.normalised(source.tags)["creation_time"]
        for (from, to) in pairs.sorted(by: { $0.key < $1.key }) {
            let (stream, result) = (source.streams[from], output.streams[to])
            if let name = TagName.trackName(stream.tags), TagName.trackName(result.tags) == nil { names.append(name) }
            if let language = TagName.language(stream.tags), TagName.language(result.tags) == nil {
                languages.insert(language)
            }
            let lost = stream.dispositions.subtracting(result.dispositions)
            dispositions.formUnion(lost.filter { $0 != "default" || isDistinctDefault(from, source) })
            // Most programs repeat the file's date in each stream.
            let own = stream.tags.filter { $0.key.lowercased() != "creation_time" || date.map { [$0] } != [$0.value] }
            tags.add(own, keptIn: TagLosses.normalised(result.tags), or: kept, ofStream: from)
        }
        let ofStreams = output.streams.map { TagLosses.normalised($0.tags) }.reduce(into: [:]) { $0.merge($1) { $1 } }
        tags.add(source.tags, keptIn: kept, or: ofStreams.filter { $0.key == "timecode" }, ofStream: nil)
        var phrases: [String] = []
        if tags.hasTimeCode, !reported.contains(.timeCode) { phrases.append("the time code") }
        if !names.isEmpty { phrases.append(Self.phrase("the track name", names.map { "'\($0)'" })) }
        if !languages.isEmpty { phrases.append(Self.phrase("the language", languages.sorted())) }
        if !dispositions.isEmpty { phrases.append(Self.phrase("the disposition", dispositions.sorted())) }
        if !tags.missing.isEmpty { phrases.append(Self.phrase("the tag", tags.missing.values.sorted())) }
        return phrases + tags.changed
    }

    /// The tags that a file lacks, or has with another value.
    private struct TagLosses {
        /// The names of missing tags, by their normalised names.
        var missing: [String: String] = [:]
        var changed: [String] = []
        var hasTimeCode = false

        static func normalised(_ tags: [String: String]) -> [String: String] {
            Dictionary(tags.map { (TagName.normalised($0.key), $0.value) }) { first, _ in first }
        }

        /// - Parameters:
        ///   - result: The tags of the same stream or of the whole file.
        ///   - other: Further places of the file where the tags may be.
        ///   - index: The stream's index; nil for tags of the whole file.
        mutating func add(
            _ tags: [String: String], keptIn result: [String: String], or other: [String: String], ofStream index: Int?
        ) {
            for (tag, value) in tags.sorted(by: { $0.key < $1.key }) where !value.isEmpty {
                let key = TagName.normalised(tag)
                guard TagName.isLasting(key, ofStream: index != nil) else { continue }
                if let written = result[key] ?? (key == "creation_time" && index != nil ? nil : other[key]) {
                    let (before, after) = (TagName.comparable(value, of: key), TagName.comparable(written, of: key))
                    if let before, let after, before != after {
                        let place = index.map { " of stream \($0)" } ?? ""
                        changed.append("the tag \(key)\(place): '\(before)' became '\(after)'")
                    }
                } else if key == "timecode" {
                    hasTimeCode = true
                } else {
                    missing[key] = index.map { other[key] == nil ? tag : "\(tag) of stream \($0)" } ?? tag
                }
            }
        }
    }

    /// Returns whether the disposition `default` of a stream matters to players. It does if no other stream of the role
    /// has it, and the stream is not the first, which players choose anyway.
    private func isDistinctDefault(_ index: Int, _ source: MediaInventory) -> Bool {
        let others = written.filter { source.streams[$0].role == source.streams[index].role }
        return others.first != index
            && !others.contains { $0 != index && source.streams[$0].dispositions.contains("default") }
    }

    private static func phrase(_ noun: String, _ items: [String]) -> String {
        let listed = items.prefix(8).joined(separator: ", ") + (items.count > 8 ? ", … (\(items.count))" : "")
        return "\(noun)\(items.count == 1 ? "" : "s") \(listed)"
    }
}
