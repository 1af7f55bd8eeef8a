internal import CFFmpeg

/// The tags of an output and its streams.
extension OutputLayout {
    /// Copies the tags of the file, except those about how the source was written.
    func copyTags(of source: Demuxer) throws(MediaError) {
        try MediaError.demandMemory(
            unsafe av_dict_copy(&context.pointer.pointee.metadata, source.input.metadata, 0), path)
        for key in ["major_brand", "minor_version", "compatible_brands", "encoder"] {
            try MediaError.demandMemory(context.setTag(key, nil), path)
        }
        guard target.isMP4 else { return }
        let hasCover = context.streams.contains { $0.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 }
        for (key, value) in MovieTags.changes(to: context.tags, hasCover: hasCover).sorted(by: { $0.key < $1.key }) {
            try MediaError.demandMemory(context.setTag(key, value), path)
        }
    }

    /// Sets the name of a track, if the container stores names. MP4 and QuickTime store it as the handler's name, which
    /// all players and FFmpeg read; MP4 also stores it as the title.
    func nameTrack(_ stream: StreamHandle) throws(MediaError) {
        guard container.holdsDescriptions, let name = TagName.trackName(stream.tags) else { return }
        try MediaError.demandMemory(stream.setTag("title", name), path)
        if target.isMP4 { try MediaError.demandMemory(stream.setTag("handler_name", Self.handlerName(name)), path) }
    }

    /// Returns a name truncated to 255 bytes, the maximum of QuickTime's strings.
    private static func handlerName(_ name: String) -> String {
        var result = "", size = 0
        for character in name {
            size += character.utf8.count
            if size > 255 { break }
            result.append(character)
        }
        return result
    }

    /// Removes the tags that describe the source's coding of the video.
    ///
    /// - Parameter keepsEncoder: Whether every frame was encoded by the source's encoder.
    func dropCodingTags(keepsEncoder: Bool) throws(MediaError) {
        var stale = ["duration", "bps", "number_of_", "_statistics", "rotate"]
        if !keepsEncoder { stale.append("encoder") }
        for key in video.tags.keys.sorted() where stale.contains(where: { key.lowercased().hasPrefix($0) }) {
            try MediaError.demandMemory(video.setTag(key, nil), path)
        }
    }

    private static let timeCodeTag = "timecode"

    /// Moves the time codes of the source, which name the first frame, to the first frame of its trim range, also in
    /// the account.
    func moveTimeCodes(by seconds: Double, of video: VideoStreamInfo) throws(MediaError) {
        func moved(_ tags: [String: String]) -> String? {
            tags[Self.timeCodeTag].flatMap { Self.moved($0, by: seconds, of: video) }
        }
        if let code = moved(context.tags) {
            try MediaError.demandMemory(context.setTag(Self.timeCodeTag, code), path)
            inventory?.tags[Self.timeCodeTag] = code
        }
        for (from, place) in written {
            guard let code = moved(context.stream(place).tags) else { continue }
            try MediaError.demandMemory(context.stream(place).setTag(Self.timeCodeTag, code), path)
            inventory?.streams[from].tags[Self.timeCodeTag] = code
        }
    }

    /// Returns a time code some seconds later; nil if it cannot be read, or the frame rate is unknown.
    ///
    /// `av_timecode_init_from_string`
    private static func moved(_ code: String, by seconds: Double, of video: VideoStreamInfo) -> String? {
        let rate = video.averageFrameRate
        var parsed = AVTimecode()
        guard rate.isPositive, unsafe av_timecode_init_from_string(&parsed, rate.avRational, code, nil) >= 0 else {
            return nil
        }
        var text = [CChar](repeating: 0, count: Int(AV_TIMECODE_STR_SIZE))
        let frames = Int32(clamping: Int64((seconds * rate.value).rounded()))
        return unsafe text.withUnsafeMutableBufferPointer { buffer in
            unsafe av_timecode_make_string(&parsed, buffer.baseAddress, frames).map { unsafe String(cString: $0) }
        }
    }
}

/// The tags of MP4 and QuickTime, which have two lists. libavformat writes only one of them: the usual tags with cover
/// art, or metadata keys with any other names, such as `com.apple.quicktime.make`.
enum MovieTags {
    private static let prefix = "com.apple.quicktime."
    /// The names of usual tags, by their names as QuickTime's metadata keys, where the names differ.
    private static let usualNames = ["location.ISO6709": "location", "creationdate": "date"]
    private static let usualTags = [
        "title", "artist", "album", "comment", "description", "copyright", "genre", "make", "model", "location", "date",
    ]

    /// Returns whether only QuickTime's metadata keys can hold a tag's name: a reverse domain name, such as
    /// `com.apple.quicktime.make`.
    static func needsMetadataKeys(_ tag: String) -> Bool { tag.count { $0 == "." } >= 2 }

    /// Returns the changes that choose the list of tags and rename them for that list: the tags to set, or to remove if
    /// the value is nil.
    static func changes(to tags: [String: String], hasCover: Bool) -> [String: String?] {
        let keys = tags.keys.filter(needsMetadataKeys)
        guard !keys.isEmpty else { return [:] }
        var changes: [String: String?] = [:]
        for key in keys {
            // Matroska writes tags in capitals.
            let isUppercase = key == key.uppercased()
            let name = isUppercase ? key.lowercased().replacing(".iso6709", with: ".ISO6709") : key
            if isUppercase || hasCover { changes.updateValue(nil, forKey: key) }
            if !hasCover {
                changes[name] = tags[key]
            } else if name.hasPrefix(prefix) {
                let short = String(name.dropFirst(prefix.count)), usual = usualNames[short] ?? short
                let isFree = tags[usual] == nil && tags[usual.uppercased()] == nil
                if usualTags.contains(usual), isFree { changes[usual] = tags[key] }
            }
        }
        // Without cover art, libavformat writes only metadata keys, so usual tags are added as keys.
        for tag in usualTags where !hasCover {
            guard let value = tags[tag] ?? tags[tag.uppercased()] else { continue }
            let name = prefix + (usualNames.first { $0.value == tag }?.key ?? tag)
            if !tags.keys.contains(where: { $0.lowercased() == name.lowercased() }) { changes[name] = value }
        }
        return changes
    }
}

extension OutputContext {
    var tags: [String: String] { unsafe [String: String](pointer.pointee.metadata) }

    /// Sets a tag of the file, or removes it if the value is nil.
    ///
    /// - Returns: FFmpeg's code, below 0 if there is no memory.
    func setTag(_ name: String, _ value: String?) -> Int32 {
        unsafe av_dict_set(&pointer.pointee.metadata, name, value, 0)
    }
}

extension StreamHandle {
    var tags: [String: String] { unsafe [String: String](pointer.pointee.metadata) }

    /// Sets a tag, or removes it if the value is nil.
    ///
    /// - Parameter flags: FFmpeg's flags, such as `AV_DICT_DONT_OVERWRITE`.
    /// - Returns: FFmpeg's code, below 0 if there is no memory.
    func setTag(_ name: String, _ value: String?, _ flags: Int32 = 0) -> Int32 {
        unsafe av_dict_set(&pointer.pointee.metadata, name, value, flags)
    }

    /// Adds the tags of another stream.
    ///
    /// - Returns: FFmpeg's code, below 0 if there is no memory.
    func copyTags(of other: StreamHandle) -> Int32 {
        unsafe av_dict_copy(&pointer.pointee.metadata, other.pointer.pointee.metadata, 0)
    }
}
