internal import CFFmpeg
import Platform

extension Muxer {
    /// Which streams the output has.
    struct StreamLayout {
        var places: [Int: Int] = [:]
        var videoPlace = 0
        var skipped: [SkippedStream] = []
        var videoSideData: [StreamSideData] = []
        /// The streams with their places in the source, attachments included.
        var written: [(source: Int, place: Int)] = []
        var inventory: MediaInventory?
    }

    /// Creates the output's streams, in the source's order.
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
                let status = unsafe avcodec_parameters_from_context(stream.pointee.codecpar, audio.context)
                if status < 0 { throw .writing(path, status: status) }
                unsafe stream.pointee.time_base = audio.context.pointee.time_base
                layout.places[AudioEncoder.streamIndex] = unsafe Int(stream.pointee.index)
            }
            return layout
        }
        let input = unsafe source.context
        var hasSound = false
        for info in source.streams where !isRemade(info, in: container) {
            let from = unsafe input.pointee.streams[info.index]!
            let isVideo = info.index == source.video.index
            if late.contains(where: { $0.stream.index == info.index }) { continue }
            if !isVideo, let reason = try unsafe obstacle(from, info, container, form: form, path) {
                layout.skipped.append(SkippedStream(stream: info, reason: reason))
                continue
            }
            if container == .flv, info.kind == .audio {
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
            if isVideo {
                layout.videoPlace = unsafe Int(to.pointee.index)
                layout.videoSideData = unsafe StreamSideData.all(of: from)
            } else {
                try MediaError.demandMemory(unsafe copyParameters(to, from, form), path)
                for entry in unsafe StreamSideData.all(of: from) {
                    try MediaError.demandMemory(unsafe entry.add(to: to), path)
                }
                if unsafe to.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_ATTACHMENT {
                    // Its bytes are in the header: no packets follow.
                    layout.places[info.index] = nil
                }
            }
        }
        try MediaError.demandMemory(unsafe av_dict_copy(&output.pointee.metadata, input.pointee.metadata, 0), path)
        for key in ["major_brand", "minor_version", "compatible_brands", "encoder"] {
            try MediaError.demandMemory(unsafe av_dict_set(&output.pointee.metadata, key, nil, 0), path)
        }
        try MediaError.demandMemory(unsafe prepareTags(output, in: container), path)
        try MediaError.demandMemory(unsafe copyChapters(output, source), path)
        layout.inventory = unsafe MediaInventory(input)
        // Of a part of the recording those of the part.
        layout.inventory?.chapterCount = unsafe Int(output.pointee.nb_chapters)
        return layout
    }
}
