internal import CFFmpeg
import Platform

extension Muxer {
    /// Returns the container whose muxer writes the output. QuickTime and MP4 share their boxes, but libavformat's
    /// QuickTime muxer omits some. If the source has content for these boxes, and MP4 can hold each stream that
    /// QuickTime can hold, the MP4 muxer writes the file under QuickTime's brand.
    static func form(of container: ContainerFormat, _ source: Demuxer?, _ path: String) throws(MediaError)
        -> ContainerFormat
    {
        guard container == .mov, let source else { return container }
        let video = unsafe source.videoStream
        let kinds = Set(unsafe StreamSideData.all(of: video).map(\.kind))
        var isRicher = !kinds.isDisjoint(with: writtenByMP4Only)
        for info in source.streams where info.derivedRole == nil {
            let stream = unsafe source.context.pointee.streams[info.index]!
            let fitsQuickTime = unsafe try incompatibility(stream, info, .mov, path) == nil
            let fitsMP4 = unsafe try incompatibility(stream, info, .mp4, path) == nil
            if fitsQuickTime, !fitsMP4 { return container }
            if info.kind == .data, fitsMP4, !fitsQuickTime { isRicher = true }
        }
        return isRicher ? .mp4 : container
    }

    /// The streams of the output.
    struct StreamLayout {
        var places: [Int: Int] = [:]
        var videoPlace = 0
        var skipped: [SkippedStream] = []
        var videoSideData: [StreamSideData] = []
        /// The streams with their indices in source and output, attachments included.
        var written: [(source: Int, place: Int)] = []
        var inventory: MediaInventory?
        /// The limits with which the source was opened.
        var limits = InputSettings()
    }

    /// Returns the source's streams in the order of the output: the source's, except that FFmpeg 7.1 and 9.0 damage the
    /// video of an MP4 file in which it precedes immersive audio.
    private static func ordered(_ source: Demuxer, _ form: ContainerFormat) -> [StreamInfo] {
        let grouped = source.streams.filter { unsafe cffmpeg_is_grouped(source.context, Int32($0.index)) != 0 }
        guard form == .mp4, !grouped.isEmpty else { return source.streams }
        return grouped + source.streams.filter { !grouped.contains($0) }
    }

    /// Creates the output's streams.
    ///
    /// - Parameter form: See ``form(of:_:_:)``.
    @unsafe
    static func layOut(
        _ output: UnsafeMutablePointer<AVFormatContext>, container: ContainerFormat, form: ContainerFormat,
        source: Demuxer?, audio: AudioEncoder?, path: String, leavingOut late: [LateSound] = []
    ) throws(MediaError) -> StreamLayout {
        var layout = StreamLayout()
        guard let source else {
            guard unsafe avformat_new_stream(output, nil) != nil else { throw .outOfMemory(path) }
            layout.places = [0: 0]
            if let audio {
                guard let stream = unsafe avformat_new_stream(output, nil) else { throw .outOfMemory(path) }
                let status = unsafe audio.context.copyParameters(to: stream.pointee.codecpar)
                if status < 0 { throw .writing(path, status: status) }
                unsafe stream.pointee.time_base = audio.context.time_base
                layout.places[AudioEncoder.streamIndex] = unsafe Int(stream.pointee.index)
            }
            return layout
        }
        let input = unsafe source.context
        var hasSound = false
        for info in ordered(source, form) where !isRemade(info, in: container) {
            let from = unsafe input.pointee.streams[info.index]!
            let isVideo = info.index == source.video.index
            if late.contains(where: { $0.stream.index == info.index }) { continue }
            var reason = source.misreadStreams[info.index]
            if reason == nil { reason = try unsafe incompatibility(from, info, container, form: form, path) }
            if !isVideo, let reason {
                layout.skipped.append(SkippedStream(stream: info, reason: reason))
                continue
            }
            if container.holdsOneAudioStream, info.kind == .audio {
                if hasSound {
                    let reason = "\(container.displayName) holds one audio stream"
                    layout.skipped.append(SkippedStream(stream: info, reason: reason))
                    continue
                }
                hasSound = true
            }
            guard let to = unsafe avformat_new_stream(output, nil) else { throw .outOfMemory(path) }
            layout.places[info.index] = unsafe Int(to.pointee.index)
            layout.written.append((info.index, unsafe Int(to.pointee.index)))
            try MediaError.demandMemory(unsafe copyDescription(to, from), path)
            try MediaError.demandMemory(unsafe nameTrack(to, in: container), path)
            // FFmpeg refuses some numbers of other transport streams in Blu-ray's form, and otherwise assigns its own.
            if container == .mpegts, ContainerFormat.isBluRay(path) { unsafe to.pointee.id = 0 }
            if isVideo {
                layout.videoPlace = unsafe Int(to.pointee.index)
                layout.videoSideData = unsafe StreamSideData.all(of: from)
            } else {
                try MediaError.demandMemory(unsafe copyParameters(to, from, form), path)
                for entry in unsafe StreamSideData.all(of: from) {
                    try MediaError.demandMemory(unsafe entry.add(to: to), path)
                }
                if unsafe to.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_ATTACHMENT {
                    // The bytes of an attachment are in the header: no packets follow.
                    layout.places[info.index] = nil
                }
            }
        }
        if late.isEmpty { layout.skipped += source.unreadSubtitles }
        if form == .mp4 { try MediaError.demandMemory(unsafe copyGroups(to: output, from: input, layout), path) }
        try MediaError.demandMemory(unsafe av_dict_copy(&output.pointee.metadata, input.pointee.metadata, 0), path)
        for key in ["major_brand", "minor_version", "compatible_brands", "encoder"] {
            try MediaError.demandMemory(unsafe av_dict_set(&output.pointee.metadata, key, nil, 0), path)
        }
        try MediaError.demandMemory(unsafe prepareTags(output, in: container), path)
        try MediaError.demandMemory(unsafe copyChapters(output, source), path)
        layout.inventory = unsafe MediaInventory(input)
        layout.limits = source.limits
        if source.trim != nil { unsafe try moveTimeCodes(output, source, &layout) }
        // Only the chapters of the trim range are counted.
        layout.inventory?.chapterCount = unsafe Int(output.pointee.nb_chapters)
        return layout
    }

    /// Copies the groups that make one sound of several streams (IAMF), which libavformat reads and writes in MP4 from
    /// FFmpeg 7.1 on. A group is omitted if one of its streams is.
    ///
    /// - Returns: FFmpeg's code, below 0 if there is no memory.
    @unsafe
    private static func copyGroups(
        to output: UnsafeMutablePointer<AVFormatContext>, from input: UnsafeMutablePointer<AVFormatContext>,
        _ layout: StreamLayout
    ) -> Int32 {
        var places = [Int32](repeating: -1, count: unsafe Int(input.pointee.nb_streams))
        for (source, place) in layout.written { places[source] = Int32(place) }
        for index in 0..<(unsafe cffmpeg_group_count(input)) {
            let status = unsafe cffmpeg_copy_group(output, input, index, places)
            if status < 0 { return status }
        }
        return 0
    }
}

extension Muxer {
    /// Sets the name of a track, if the container stores names. MP4 and QuickTime store it as the handler's name, which
    /// all players and FFmpeg read; MP4 also stores it as the title.
    @unsafe
    static func nameTrack(_ stream: UnsafeMutablePointer<AVStream>, in container: ContainerFormat) -> Int32 {
        guard container.holdsDescriptions,
            let name = TagName.trackName(unsafe Demuxer.dictionary(stream.pointee.metadata))
        else { return 0 }
        let status = unsafe av_dict_set(&stream.pointee.metadata, "title", name, 0)
        if status < 0 || container != .mp4 && container != .mov { return status }
        return unsafe av_dict_set(&stream.pointee.metadata, "handler_name", handlerName(name), 0)
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
}

/// The tags of MP4 and QuickTime, which have two lists. libavformat writes only one of them: the usual tags with cover
/// art, or metadata keys with any other names, such as `com.apple.quicktime.make`.
extension Muxer {
    private static let prefix = "com.apple.quicktime."
    /// The names of usual tags, by their names as QuickTime's metadata keys, where the names differ.
    private static let usualNames = ["location.ISO6709": "location", "creationdate": "date"]
    private static let usualTags = [
        "title", "artist", "album", "comment", "description", "copyright", "genre", "make", "model", "location", "date",
    ]

    /// True if the tags are written as metadata keys.
    var writesMetadataKeys: Bool {
        unsafe Demuxer.dictionary(context.pointee.metadata).keys.contains(where: Self.needsMetadataKeys)
    }

    /// Chooses the list of tags and renames them for that list.
    ///
    /// - Returns: FFmpeg's code, below 0 if there is no memory.
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

    /// Returns the tags to set, or to remove if the value is nil.
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

/// Abilities of libavformat's muxers that depend on its version or on an option.
///
/// Tested with FFmpeg 5.1, 7.1 and 9.0. From 7.1 on, the QuickTime muxer writes Apple's box `vexu`, which names neither
/// the layout of a packed stereo picture nor the direction of a projection.
extension Muxer {
    /// The side data that the MP4 muxer writes and the QuickTime muxer omits, in the same boxes.
    static let writtenByMP4Only: Set<StreamSideData.Kind> = [.dolbyVision, .stereo3D, .spherical]

    /// The side data that is written only if strict compliance with the file's standard is not required.
    static let unofficial: Set<StreamSideData.Kind> = [.dolbyVision, .stereo3D, .spherical]

    /// The side data that is stored in the same box of QuickTime and MP4 as the colour tags, and takes precedence.
    static let preferredOverColours: Set<StreamSideData.Kind> = [.iccProfile]

    /// Returns whether only QuickTime's metadata keys can hold a tag's name: a reverse domain name, such as
    /// `com.apple.quicktime.make`.
    static func needsMetadataKeys(_ tag: String) -> Bool { tag.count { $0 == "." } >= 2 }
}
