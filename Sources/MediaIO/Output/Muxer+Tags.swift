internal import CFFmpeg

/// The tags of MP4 and QuickTime, which have two lists of them, of which libavformat writes one: the usual tags with cover
/// art, or metadata keys, such as `com.apple.quicktime.make`, with any other names.
extension Muxer {
    private static let prefix = "com.apple.quicktime."
    /// QuickTime's names of usual tags among its metadata keys, where these differ.
    private static let usualNames = ["location.ISO6709": "location", "creationdate": "date"]
    private static let usualTags = [
        "title", "artist", "album", "comment", "description", "copyright", "genre", "make", "model", "location", "date",
    ]

    /// A Boolean value that indicates whether the tags are written as metadata keys.
    var writesMetadataKeys: Bool {
        unsafe Demuxer.dictionary(context.pointee.metadata).keys.contains(where: MuxerFacts.needsMetadataKeys)
    }

    /// Chooses the list of tags and gives them that list's names.
    ///
    /// - Returns: FFmpeg's code, below 0 where there is no memory for them.
    @unsafe
    static func prepareTags(
        _ output: UnsafeMutablePointer<AVFormatContext>, in container: ContainerFormat
    ) -> Int32 {
        guard container == .mp4 || container == .mov else { return 0 }
        let hasCover = (0..<Int(unsafe output.pointee.nb_streams)).contains { index in
            unsafe output.pointee.streams[index]!.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
        }
        let tags = unsafe Demuxer.dictionary(output.pointee.metadata)
        for (key, value) in changes(to: tags, hasCover: hasCover).sorted(by: { $0.key < $1.key }) {
            let status = unsafe av_dict_set(&output.pointee.metadata, key, value, 0)
            if status < 0 { return status }
        }
        return 0
    }

    /// The tags to set, or to remove where the value is nil.
    static func changes(to tags: [String: String], hasCover: Bool) -> [String: String?] {
        let keys = tags.keys.filter(MuxerFacts.needsMetadataKeys)
        guard !keys.isEmpty else { return [:] }
        var changes: [String: String?] = [:]
        for key in keys {
            // Matroska writes tags in capitals.
            let isShouted = key == key.uppercased()
            let name = isShouted ? key.lowercased().replacing(".iso6709", with: ".ISO6709") : key
            if isShouted || hasCover { changes.updateValue(nil, forKey: key) }
            if !hasCover {
                changes[name] = tags[key]
            } else if name.hasPrefix(prefix) {
                let short = String(name.dropFirst(prefix.count)), usual = usualNames[short] ?? short
                let isFree = tags[usual] == nil && tags[usual.uppercased()] == nil
                if usualTags.contains(usual), isFree { changes[usual] = tags[key] }
            }
        }
        // libavformat writes no other list.
        for tag in usualTags where !hasCover {
            guard let value = tags[tag] ?? tags[tag.uppercased()] else { continue }
            let name = prefix + (usualNames.first { $0.value == tag }?.key ?? tag)
            if !tags.keys.contains(where: { $0.lowercased() == name.lowercased() }) { changes[name] = value }
        }
        return changes
    }
}
