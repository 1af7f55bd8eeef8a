internal import CFFmpeg
import Platform

/// The streams of an output, and the context that writes them. Used by one thread at a time.
final class OutputLayout {
    let target: OutputTarget
    let context: OutputContext
    /// The indices of streams in the output, by their index in the source.
    private(set) var places: [Int: Int] = [:]
    /// The index of the video in the output.
    private(set) var videoPlace = 0
    /// The streams with their indices in source and output, attachments included.
    private(set) var written: [(source: Int, place: Int)] = []
    /// The streams that the container cannot hold.
    private(set) var skipped: [SkippedStream] = []
    /// The side data of the source's video.
    private(set) var videoSideData: [StreamSideData] = []
    /// The account of the source; nil if no stream is copied.
    var inventory: MediaInventory?

    var container: ContainerFormat { target.container }
    var path: String { target.path }
    var video: StreamHandle { context.stream(videoPlace) }

    /// Creates the streams.
    ///
    /// - Parameters:
    ///   - source: The demuxer whose other streams, chapters and metadata are copied; nil for none.
    ///   - audio: The encoder of a sound track, if there is no source.
    ///   - late: The sound to omit.
    init(
        _ target: OutputTarget, copying source: Demuxer?, audio: AudioEncoder? = nil, omitting late: [LateSound] = []
    ) throws(MediaError) {
        self.target = target
        context = try OutputContext(
            format: target.form.muxerName, url: target.sink.url, file: target.path, callees: [target.watch])
        unsafe context.interrupt_callback = target.watch.callback
        // Without this flag, each file would get a random identifier, and two runs would not give equal bytes.
        if container == .matroska || container == .webm { context.flags |= AVFMT_FLAG_BITEXACT }
        if target.sink.isStream {
            context.flags |= AVFMT_FLAG_FLUSH_PACKETS
            context.flush_packets = 1
        }
        // FFmpeg waits up to ten seconds for a stream without packets, such as subtitles.
        if target.options.isLive { context.max_interleave_delta = 100_000 }
        if let source { try addStreams(of: source, omitting: late) } else { try addStreams(audio) }
    }

    /// Adds the streams of an output without a source: the video, and the sound if there is an encoder.
    private func addStreams(_ audio: AudioEncoder?) throws(MediaError) {
        _ = try context.addStream(file: path)
        places = [0: 0]
        guard let audio else { return }
        let stream = try context.addStream(file: path)
        let status = unsafe audio.context.copyParameters(to: stream.codecpar)
        if status < 0 { throw .writing(path, status: status) }
        stream.time_base = audio.context.time_base
        places[AudioEncoder.streamIndex] = Int(stream.index)
    }

    private func addStreams(of source: Demuxer, omitting late: [LateSound]) throws(MediaError) {
        for info in streams(of: source) where !late.contains(where: { $0.stream.index == info.index }) {
            if info.index != source.video.index, let reason = try reasonToSkip(info, of: source) {
                skipped.append(SkippedStream(stream: info, reason: reason))
            } else {
                try addStream(info, of: source)
            }
        }
        if late.isEmpty { skipped += source.unreadSubtitles }
        if target.form == .mp4 { try copyGroups(of: source) }
        try copyTags(of: source)
        try copyChapters(of: source)
        inventory = MediaInventory(of: source)
        if let trim = source.trim, trim.start > 0 { try moveTimeCodes(by: trim.start, of: source.video) }
        // Only the chapters of the trim range are counted.
        inventory?.chapterCount = Int(context.nb_chapters)
    }

    /// Returns the source's streams, except those that the muxer remakes, in the order of the output. It is the
    /// source's, except that FFmpeg 7.1 and 9.0 damage the video of an MP4 file in which it precedes immersive audio.
    private func streams(of source: Demuxer) -> [StreamInfo] {
        let streams = source.streams.filter { !StreamFit.isRemade($0, in: container) }
        guard target.form == .mp4 else { return streams }
        let grouped = streams.filter { unsafe cffmpeg_is_grouped(source.input.pointer, Int32($0.index)) != 0 }
        return grouped + streams.filter { !grouped.contains($0) }
    }

    /// Returns the reason why a stream other than the video is not copied; nil if it is.
    private func reasonToSkip(_ info: StreamInfo, of source: Demuxer) throws(MediaError) -> String? {
        if let reason = source.misreadStreams[info.index] { return reason }
        let fit = StreamFit(container: container, form: target.form, path: path)
        if let refusal = try fit.refusal(of: source.input.stream(info.index), info) { return refusal }
        let hasSound = written.contains { source.streams[$0.source].kind == .audio }
        guard container.holdsOneAudioStream, info.kind == .audio, hasSound else { return nil }
        return "\(container.displayName) holds one audio stream"
    }

    private func addStream(_ info: StreamInfo, of source: Demuxer) throws(MediaError) {
        let from = source.input.stream(info.index)
        let to = try context.addStream(file: path)
        let place = Int(to.index)
        places[info.index] = place
        written.append((info.index, place))
        to.id = from.id
        to.disposition = from.disposition
        to.avg_frame_rate = from.avg_frame_rate
        to.r_frame_rate = from.r_frame_rate
        try MediaError.demandMemory(to.copyTags(of: from), path)
        try nameTrack(to)
        // FFmpeg refuses some numbers of other transport streams in Blu-ray's form, and otherwise assigns its own.
        if container == .mpegts, ContainerFormat.isBluRay(path) { to.id = 0 }
        if info.index == source.video.index {
            videoPlace = place
            videoSideData = from.sideData
            return
        }
        try MediaError.demandMemory(to.copyParameters(of: from, for: target.form), path)
        for entry in from.sideData { try MediaError.demandMemory(to.add(entry), path) }
        // The bytes of an attachment are in the header: no packets follow.
        if to.parameters.codec_type == AVMEDIA_TYPE_ATTACHMENT { places[info.index] = nil }
    }

    /// Copies the groups that make one sound of several streams (IAMF), which libavformat reads and writes in MP4 from
    /// FFmpeg 7.1 on. A group is omitted if one of its streams is.
    private func copyGroups(of source: Demuxer) throws(MediaError) {
        let input = source.input
        var all = [Int32](repeating: -1, count: input.streamCount)
        for (source, place) in written { all[source] = Int32(place) }
        for index in 0..<(unsafe cffmpeg_group_count(input.pointer)) {
            try MediaError.demandMemory(unsafe cffmpeg_copy_group(context.pointer, input.pointer, index, all), path)
        }
    }

    /// True if a stream of the output has side data of one of these kinds.
    func hasSideData(_ kinds: Set<StreamSideData.Kind>) -> Bool {
        context.streams.contains { !kinds.isDisjoint(with: $0.sideData.map(\.kind)) }
    }
}
